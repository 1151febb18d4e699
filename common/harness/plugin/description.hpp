// What a plug-in says of itself, in a form that travels from process to process.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace sortlab {

/// One sort of a plug-in: the fields of sortlab_sort that are data.
struct PluginSortFacts {
  std::string name;
  std::string summary;
  std::uint32_t key_types = 0;  // SORTLAB_U32 | ...
  std::uint32_t traits = 0;     // SORTLAB_STABLE | ...
};

struct PluginDescription {
  std::string name;
  std::string version;
  std::vector<PluginSortFacts> sorts;
};

void to_json(nlohmann::json& json, const PluginDescription& description);
void from_json(const nlohmann::json& json, PluginDescription& description);

}  // namespace sortlab
