// --plugin, for every command that knows variants.
#pragma once

#include <CLI/CLI.hpp>

namespace sortlab {

/// Adds --plugin to a command, after its positional arguments. Only a command without any takes several
/// files after one --plugin, as the shell makes them of *.so. A plug-in is registered when its flag is parsed, before the command
/// is carried out; one that can't be used is BadInput.
void add_plugin_flag(CLI::App& command);

}  // namespace sortlab
