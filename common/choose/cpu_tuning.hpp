// The choices of cpu/auto on a CPU, from the file of `sortlab tune` or from the built-in ones.
#pragma once

#include <optional>
#include <string>

#include "common/choose/cpu_choice.hpp"
#include "common/choose/tune_file.hpp"

namespace sortlab {

/// The facts of a CPU that a choice depends on.
struct CpuFacts {
  std::string name;
  CpuKind kind = CpuKind::other;
};
CpuFacts this_cpu();

/// The choices for one CPU.
struct KnownCpuChoices {
  CpuChoices choices;
  std::string source;   // "built in, measured on ...", "FILE, measured on ...", or "not measured"
  std::string warning;  // one line if the tune file is for another CPU; else ""
};

/// Each setting's choices come from the first of these that has any: `file`, if it is for this CPU;
/// the built-in choices for its kind (cpu/auto/amd.json, or arm.json, which is not measured); the
/// built-in choices for all (cpu/auto/intel.json).
KnownCpuChoices cpu_choices(const CpuFacts& cpu, const std::optional<CpuTuning>& file);

/// The choices as text: one block per setting.
std::string readable_choices(const CpuChoices& choices);

}  // namespace sortlab
