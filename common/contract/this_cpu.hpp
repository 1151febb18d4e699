// The CPU that this process runs on.
#pragma once

#include <string>

#include "common/contract/isa_region.hpp"

namespace sortlab {

/// "AMD EPYC 9354", as the kernel reports it. On Arm, where it reports numbers, the core's name or those
/// numbers.
const std::string& cpu_model();

/// The CPU's manufacturer; both are false on architectures other than x86.
#ifdef SORTLAB_X86
inline bool cpu_is_intel() { return __builtin_cpu_is("intel") != 0; }
inline bool cpu_is_amd() { return __builtin_cpu_is("amd") != 0; }
#else
inline bool cpu_is_intel() { return false; }
inline bool cpu_is_amd() { return false; }
#endif

}  // namespace sortlab
