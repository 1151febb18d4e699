// What cpu/auto chooses on a CPU, and why: from the file of `sortlab tune` or from what is built in.
#pragma once

#include <optional>
#include <string>

#include "common/choose/cpu_choice.hpp"
#include "common/choose/tune_file.hpp"

namespace sortlab {

/// What a choice must know of a CPU.
struct CpuFacts {
  std::string name;
  bool amd = false;  // Zen 4 has vectors of half the width for AVX-512
};
CpuFacts this_cpu();

/// The choices for one CPU.
struct KnownCpuChoices {
  CpuChoices choices;
  std::string source;   // "built in, measured on ..." or "FILE, measured on ..."
  std::string warning;  // one line where the file to go by is for another CPU; else ""
};

/// Each setting's choices from the first of these that has any: `file`, if it is for this CPU; what
/// is built in for AMD's CPUs (cpu/auto/amd.json), if it is one; what is built in
/// (cpu/auto/intel.json).
KnownCpuChoices cpu_choices(const CpuFacts& cpu, const std::optional<CpuTuning>& file);

/// What is chosen, a block for each setting.
std::string readable_choices(const CpuChoices& choices);

}  // namespace sortlab
