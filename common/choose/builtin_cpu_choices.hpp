// The choices that are built in for CPUs: the files of cpu/auto/ as C++, which
// cmake/cpu_choices.cmake writes during the build. So no program parses them.
#pragma once

#include "common/choose/tune_file.hpp"

namespace sortlab {

/// Measured on one of Intel's CPUs: for all of them, and where nothing better is known.
CpuTuning builtin_intel_tuning();
/// Measured on one of AMD's CPUs, for what differs there.
CpuTuning builtin_amd_tuning();
/// Made by reasoning for Arm's CPUs: nobody has measured it.
CpuTuning builtin_arm_tuning();

}  // namespace sortlab
