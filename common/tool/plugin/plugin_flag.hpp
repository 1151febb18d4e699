// --plugin, for every command that knows variants.
#pragma once

#include <CLI/CLI.hpp>

namespace sortlab {

/// Adds --plugin to a command, after its positional arguments. Only a command without positional
/// arguments takes several files after one --plugin, as the shell makes them from *.so. A plug-in
/// is registered when its flag is parsed, before the command runs. A plug-in that can't be used
/// throws BadInput.
void add_plugin_flag(CLI::App& command);

}  // namespace sortlab
