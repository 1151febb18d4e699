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
  CpuKind kind = CpuKind::other;
};
CpuFacts this_cpu();

/// The choices for one CPU.
struct KnownCpuChoices {
  CpuChoices choices;
  std::string source;  // "built in, measured on ..." or "FILE, measured on ...", or that it was not
  std::string warning;  // one line where the file to go by is for another CPU; else ""
};

/// Each setting's choices from the first of these that has any: `file`, if it is for this CPU; what
/// is built in for its kind (cpu/auto/amd.json, and arm.json, which nobody has measured); what is built in
/// for all (cpu/auto/intel.json).
KnownCpuChoices cpu_choices(const CpuFacts& cpu, const std::optional<CpuTuning>& file);

/// What is chosen, a block for each setting.
std::string readable_choices(const CpuChoices& choices);

}  // namespace sortlab
