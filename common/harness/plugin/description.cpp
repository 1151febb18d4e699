#include "common/harness/plugin/description.hpp"

#include <nlohmann/json.hpp>

#include "common/choose/json_reading.hpp"

namespace sortlab {

void to_json(nlohmann::json& json, const PluginDescription& description) {
  json = {{"name", description.name},
          {"version", description.version},
          {"sorts", nlohmann::json::array()}};
  for (const auto& sort : description.sorts) {
    json["sorts"].push_back({{"name", sort.name},
                             {"summary", sort.summary},
                             {"key_types", sort.key_types},
                             {"traits", sort.traits}});
  }
}

void from_json(const nlohmann::json& json, PluginDescription& description) {
  json.at("name").get_to(description.name);
  json.at("version").get_to(description.version);
  for (const auto& sort : json.at("sorts")) {
    description.sorts.push_back({sort.at("name"), sort.at("summary"),
                                 whole_of<std::uint32_t>(sort.at("key_types")),
                                 whole_of<std::uint32_t>(sort.at("traits"))});
  }
}

}  // namespace sortlab
