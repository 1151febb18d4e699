// The choices that are built in for CPUs: the files of cpu/auto/ as C++, which
// cmake/cpu_choices.cmake writes during the build. So no program parses them.
#pragma once

#include "common/choose/tune_file.hpp"

namespace sortlab {

/// Measured on an Intel CPU. Used for all Intel CPUs, and for CPUs without their own choices.
CpuTuning builtin_intel_tuning();
/// Measured on an AMD CPU. Holds only the choices that differ there.
CpuTuning builtin_amd_tuning();
/// Derived by reasoning for Arm CPUs; not measured.
CpuTuning builtin_arm_tuning();

}  // namespace sortlab
