// The commands of the tool, apart from `run`: each prints and returns an exit code.
#pragma once

#include <string>
#include <vector>

#include "common/plan.hpp"

namespace sortlab {

/// All variants: id, types, memory, stability, instruction sets, summary; as JSON if asked.
int list_command(const std::vector<std::string>& filters, bool as_json);

/// One variant: its facts, its place in the ladder, its top comment and its source file.
int show_command(const std::string& id);

/// Sorts the adversarial sizes and all distributions with every variant selected, without clocks.
int verify_command(const Selection& selection);

/// What this machine has, what is missing, and the command that installs it.
int doctor_command();

}  // namespace sortlab
