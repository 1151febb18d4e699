// The sorts of a plug-in as variants: plugin/<name of the plug-in>/<name of the sort>.
#pragma once

#include <string>

#include "common/harness/plugin/description.hpp"

namespace sortlab {

/// Registers all sorts of the plug-in at `path`, an absolute path. Its code is loaded when a sort is
/// first called or asked for its workspace. Throws BadInput when one of the ids is taken.
void register_plugin(const std::string& path, const PluginDescription& description);

}  // namespace sortlab
