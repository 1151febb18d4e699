// The rules of include/sortlab_plugin.h for a plug-in's description of itself.
#pragma once

#include "common/harness/plugin/description.hpp"
#include "include/sortlab_plugin.h"

namespace sortlab {

/// Throws BadInput, with the reason, if the description breaks a rule.
PluginDescription checked(const sortlab_plugin& plugin);

}  // namespace sortlab
