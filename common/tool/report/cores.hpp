// What people call a CPU's core.
#pragma once

#include <string>

namespace sortlab::report {

/// "Zen 5" for family 26, model 2, as /proc/cpuinfo has them in decimal; "family 99, model 1" for one that is not
/// in the list, and "" where either is empty.
std::string core_name(const std::string& family, const std::string& model);

}  // namespace sortlab::report
