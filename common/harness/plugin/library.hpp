// A plug-in's shared library, loaded into this process. Its code runs in this process, so only
// workers, and programs that measure in-process, load one.
#pragma once

#include <string>

#include "common/harness/plugin/description.hpp"
#include "include/sortlab_plugin.h"

namespace sortlab {

/// Loads the library at `path` and reads its description. Throws BadInput, with the reason alone,
/// for a file that is no plug-in, one of another ABI version, and a description that breaks a
/// rule of include/sortlab_plugin.h.
PluginDescription describe_library(const std::string& path);

/// The sort `name` of the library at `path`, loaded if need be. It stays valid: libraries are never
/// unloaded. Throws like describe_library(), and BadInput when it has no such sort.
const sortlab_plugin_sort& sort_in_library(const std::string& path, const std::string& name);

/// Throws BadInput, with the reason, if the description breaks a rule.
PluginDescription checked(const sortlab_plugin& plugin);

}  // namespace sortlab
