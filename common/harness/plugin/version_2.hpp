// Plug-ins that were compiled against version 2 of the interface: today's include/sortlab_plugin.h.
#pragma once

#include <memory>

#include "common/harness/plugin/code.hpp"
#include "common/harness/plugin/description.hpp"

namespace sortlab {

/// The plug-in's description of itself. Throws BadInput, with the reason, when it breaks a rule.
PluginDescription checked(const sortlab_plugin& plugin);

std::unique_ptr<PluginCode> code_of(const sortlab_plugin_sort& sort);

}  // namespace sortlab
