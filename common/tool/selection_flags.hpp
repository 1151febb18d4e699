// The flags that choose configurations, for every command that takes them.
#pragma once

#include <CLI/CLI.hpp>

#include "common/harness/plan/plan.hpp"

namespace sortlab {

/// Adds --filter, --type, --dist, --n, ... to a command; they write into `selection`, which must
/// live until the command line is parsed.
void add_selection(CLI::App& command, Selection& selection);

/// --device, which is one of them, alone.
void add_device_flag(CLI::App& command);

}  // namespace sortlab
