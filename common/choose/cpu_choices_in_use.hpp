// The choices that cpu/auto goes by in this program. Each program is linked with one definition:
//   common/choose/cpu_tuning.cpp      the tool's: the file of `sortlab tune`, if there is one
//   library/host/builtin_choices.cpp  the library's: what is built in; it reads no file
#pragma once

#include <string>

#include "common/choose/tune_file.hpp"

namespace sortlab {

/// Throws BadInput when the file to go by is malformed.
CpuChoices cpu_choices_in_use();

/// Throws BadInput when the file to go by is malformed. One for another CPU gets its line on stderr,
/// once.
void check_cpu_choices();

/// What is chosen on this CPU, and where that comes from, for people. Throws BadInput for a file to
/// go by that is malformed.
std::string describe_cpu_choices();

}  // namespace sortlab
