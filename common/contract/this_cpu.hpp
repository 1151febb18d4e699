// The CPU that this process runs on.
#pragma once

#include <string>

namespace sortlab {

/// "AMD EPYC 9354", as the kernel reports it. On Arm, where it reports numbers, the core's name or those
/// numbers.
const std::string& cpu_model();

/// Who made it; neither on another architecture than x86.
bool cpu_is_intel();
bool cpu_is_amd();

}  // namespace sortlab
