// The choices that cpu/auto uses in this program. Each program is linked with one definition:
//   common/choose/cpu_tuning.cpp      the tool's: the file of `sortlab tune`, if there is one
//   library/host/builtin_choices.cpp  the library's built-in choices; reads no file
#pragma once

#include <string>

#include "common/choose/tune_file.hpp"

namespace sortlab {

/// Throws BadInput when the tune file is malformed.
CpuChoices cpu_choices_in_use();

/// Throws BadInput when the tune file is malformed. A file for another CPU gets one warning on
/// stderr.
void check_cpu_choices();

/// A text that says which sorts are chosen on this CPU, and the source of these choices. Throws
/// BadInput when the tune file is malformed.
std::string describe_cpu_choices();

}  // namespace sortlab
