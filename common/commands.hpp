// The commands of the tool, apart from `run`: each prints and returns an exit code.
#pragma once

#include <string>
#include <vector>

#include "common/plan.hpp"

namespace sortlab {

enum class ListFormat { text, markdown, json };

/// All variants: id, types, memory, stability, instruction sets, summary.
int list_command(const std::vector<std::string>& filters, ListFormat format);

/// All distributions with their formulas.
int dists_command();

/// One variant: its facts, its place in the ladder, its top comment and its source file.
int show_command(const std::string& id);

/// Sorts the adversarial sizes and all distributions with every variant selected, without clocks.
int verify_command(const Selection& selection);

/// What this machine has, what is missing, and the command that installs it.
int doctor_command();

}  // namespace sortlab
