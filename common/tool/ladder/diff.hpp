// Shows the changes between the files of two rungs.
#pragma once

#include <string_view>

namespace sortlab {

/// Prints the output of `diff -u` for the source files of two rungs of a ladder, in colour on a
/// terminal. A rung is named by its id, its name or the beginning of its name: "v1" is v1_fused.
/// Returns the exit code: 0, or 1 if the program diff is missing. Throws BadInput for a name that
/// fits no rung or several, and for a rung without a file.
int print_diff(std::string_view ladder, std::string_view from, std::string_view to);

}  // namespace sortlab
