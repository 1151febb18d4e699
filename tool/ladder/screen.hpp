// A ladder on one screen, and the changes between the files of two of its rungs.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tool/ladder/measured.hpp"
#include "tool/ladder/recorded.hpp"

namespace sortlab {

/// A line of the tree's table, as text; "" is unknown.
struct RungFigures {
  std::string rate;    // Mkeys/s
  std::string spread;  // of the samples
  std::string gain;    // over the rung before it
  std::string remark;
};

using Figures = std::map<std::string, RungFigures>;  // by id

/// The figures that were measured on this machine.
Figures figures_of(std::string_view ladder, const std::map<std::string, MeasuredRung>& measured);
/// The figures that were measured on other machines, most of them with n keys.
Figures figures_of(const std::vector<RecordedRung>& recorded, std::size_t n);

/// The rungs as a tree with their figures for n keys, bytes and launches; then the addition of each
/// rung to the one before, and its file. The launches come from `recorded`.
std::string ladder_screen(std::string_view ladder, std::size_t n, const Figures& figures,
                          const std::vector<RecordedRung>& recorded);

/// Prints the output of `diff -u` for the source files of two rungs of a ladder, in colour on a
/// terminal. A rung is named by its id, its name or the beginning of its name: "v1" is v1_fused.
/// Returns the exit code: 0, or 1 if the program diff is missing. Throws BadInput for a name that
/// fits no rung or several, and for a rung without a file.
int print_diff(std::string_view ladder, std::string_view from, std::string_view to);

}  // namespace sortlab
