// The common name of a CPU's core.
#pragma once

#include <string>

namespace sortlab::report {

/// "Zen 5" for family 26, model 2, in decimal as in /proc/cpuinfo. "family 99, model 1" for a core
/// that is not in the list; "" if either is empty.
std::string core_name(const std::string& family, const std::string& model);

}  // namespace sortlab::report
