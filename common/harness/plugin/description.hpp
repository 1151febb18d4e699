// A plug-in's description of itself, in a form that processes can send to each other, and its sorts as variants.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace sortlab {

/// The data fields of sortlab_instance; only the traits may be 0.
struct PluginInstanceFacts {
  std::uint32_t key_types = 0;  // SORTLAB_U32 | ...
  std::uint32_t values = 0;     // SORTLAB_NO_VALUES | ...
  std::uint32_t orders = 0;     // SORTLAB_ASCENDING | ...
  std::uint32_t traits = 0;     // SORTLAB_STABLE | ...
};

/// One sort of a plug-in: the data fields of sortlab_plugin_sort.
struct PluginSortFacts {
  std::string name;
  std::string summary;
  std::string version;       // the library's if the sort has none of its own
  std::string isa;           // "" when it is unknown
  std::uint32_t traits = 0;  // SORTLAB_PARALLEL | ...
  std::vector<PluginInstanceFacts> instances;
};

struct PluginDescription {
  std::string name;
  std::string version;
  std::vector<PluginSortFacts> sorts;
};

void to_json(nlohmann::json& json, const PluginInstanceFacts& instance);
void from_json(const nlohmann::json& json, PluginInstanceFacts& instance);
void to_json(nlohmann::json& json, const PluginSortFacts& sort);
void from_json(const nlohmann::json& json, PluginSortFacts& sort);
void to_json(nlohmann::json& json, const PluginDescription& description);
void from_json(const nlohmann::json& json, PluginDescription& description);

/// Registers all sorts of the plug-in at `path`, an absolute path. Its code is loaded when a sort is
/// first called or asked for its workspace. Throws BadInput when one of the ids is taken.
void register_plugin(const std::string& path, const PluginDescription& description);

}  // namespace sortlab
