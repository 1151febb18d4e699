// A plug-in's shared library, loaded into this process. Whatever its code does happens here: only
// workers, and programs told to measure in-process, load one.
#pragma once

#include <string>

#include "common/harness/plugin/description.hpp"
#include "include/sortlab_plugin.h"

namespace sortlab {

/// Loads the library at `path` and asks what it holds. Throws BadInput, with the reason alone, for
/// a file that is no plug-in, one of another ABI version, and a description that breaks a rule of
/// include/sortlab_plugin.h.
PluginDescription describe_library(const std::string& path);

/// What a loaded plug-in says of itself, as describe_library() returns it. Throws BadInput for a description
/// that breaks a rule.
PluginDescription checked(const sortlab_plugin& plugin);

/// The sort `name` of the library at `path`, loaded if need be. It stays valid: libraries are never
/// unloaded. Throws like describe_library(), and BadInput when it has no such sort.
const sortlab_sort& sort_of_library(const std::string& path, const std::string& name);

}  // namespace sortlab
