// The flags that choose configurations, for every command that takes them; and --plugin, for every command that knows
// variants.
#pragma once

#include <CLI/CLI.hpp>
#include <initializer_list>
#include <map>
#include <string_view>

#include "common/harness/plan/plan.hpp"

namespace sortlab {

/// By flag: the default values that the help shows where a command has its own.
using SelectionDefaults = std::map<std::string_view, std::string_view>;

/// Adds flags of configurations' fields to a command, in this order. They write into `selection`, which must live until
/// the command line is parsed.
void add_flags(CLI::App& command, Selection& selection,
               std::initializer_list<std::string_view> flags,
               const SelectionDefaults& defaults = {});

/// Adds --filter, --type, --dist, --n, ...: the flags of every command that selects configurations.
void add_selection(CLI::App& command, Selection& selection, const SelectionDefaults& defaults = {});

/// --device, which is one of them, alone.
void add_device_flag(CLI::App& command);

/// Adds --plugin to a command, after its positional arguments. Only a command without positional
/// arguments takes several files after one --plugin, as the shell makes them from *.so. A plug-in
/// is registered when its flag is parsed, before the command runs. A plug-in that can't be used
/// throws BadInput.
void add_plugin_flag(CLI::App& command);

}  // namespace sortlab
