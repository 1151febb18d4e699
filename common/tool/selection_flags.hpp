// The flags that choose configurations, for every command that takes them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "common/harness/plan/plan.hpp"

namespace sortlab {

/// The default values that the help shows for flags.
struct SelectionDefaults {
  std::string types = "as `sortlab dists` says, else u32";
  std::string dists = "uniform";
  std::string sizes = "1M";
};

/// Adds --filter, --type, --dist, --n, ... to a command; they write into `selection`, which must
/// live until the command line is parsed.
void add_selection(CLI::App& command, Selection& selection, const SelectionDefaults& defaults = {});

/// --device, which is one of them, alone.
void add_device_flag(CLI::App& command);

}  // namespace sortlab
