#include "common/harness/plugin/description.hpp"

#include <nlohmann/json.hpp>

#include "common/choose/json_reading.hpp"

namespace sortlab {
namespace {

std::uint32_t bits_in(const nlohmann::json& json, const char* name) {
  return whole_of<std::uint32_t>(json.at(name));
}

}  // namespace

void to_json(nlohmann::json& json, const PluginInstanceFacts& instance) {
  json = {{"key_types", instance.key_types},
          {"values", instance.values},
          {"orders", instance.orders},
          {"traits", instance.traits}};
}

void from_json(const nlohmann::json& json, PluginInstanceFacts& instance) {
  instance = {bits_in(json, "key_types"), bits_in(json, "values"), bits_in(json, "orders"),
              bits_in(json, "traits")};
}

void to_json(nlohmann::json& json, const PluginSortFacts& sort) {
  json = {{"name", sort.name}, {"summary", sort.summary}, {"version", sort.version},
          {"isa", sort.isa},   {"traits", sort.traits},   {"instances", sort.instances}};
}

void from_json(const nlohmann::json& json, PluginSortFacts& sort) {
  sort = {json.at("name"), json.at("summary"),      json.at("version"),
          json.at("isa"),  bits_in(json, "traits"), json.at("instances")};
}

void to_json(nlohmann::json& json, const PluginDescription& description) {
  json = {
      {"name", description.name}, {"version", description.version}, {"sorts", description.sorts}};
}

void from_json(const nlohmann::json& json, PluginDescription& description) {
  json.at("name").get_to(description.name);
  json.at("version").get_to(description.version);
  json.at("sorts").get_to(description.sorts);
}

}  // namespace sortlab
