#include "common/choose/cpu_tuning.hpp"

#include <fmt/format.h>

#include "common/choose/cpu_choice.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/notes.hpp"

namespace sortlab {
namespace {

std::string measured_on(const CpuTuning& tuning) {
  return fmt::format("measured on {} with {} threads, {}, revision {}", tuning.cpu, tuning.threads,
                     tuning.measured_utc.substr(0, 10), tuning.revision);
}

}  // namespace

CpuFacts this_cpu() { return {cpu_model(), kind_of_this_cpu()}; }

KnownCpuChoices cpu_choices(const CpuFacts& cpu, const std::optional<CpuTuning>& file) {
  KnownCpuChoices known{builtin_cpu_choices(cpu.kind),
                        "built in, " + measured_on(builtin_intel_tuning()), ""};
  if (cpu.kind == CpuKind::amd) known.source += ", and " + measured_on(builtin_amd_tuning());
  if (cpu.kind == CpuKind::arm) {
    known.source += "; for Arm not measured, `sortlab tune --cpu` does it";
  }
  if (!file) return known;
  if (file->cpu != cpu.name) {
    known.warning = fmt::format(
        "{} is for {}, this is {}: cpu/auto goes by what is built in; `sortlab tune --cpu` "
        "measures this one",
        tune_path_in_use(), file->cpu, cpu.name);
    return known;
  }
  replace(known.choices, file->choices);
  known.source = tune_path_in_use() + ", " + measured_on(*file);
  return known;
}

std::string readable_choices(const CpuChoices& choices) {
  std::string text;
  for (const auto& [setting, of_setting] : choices) {
    text += fmt::format("{}\n{}", setting.text(), readable_choices(of_setting));
  }
  return text;
}

// Defines the choices in use (cpu_choice.hpp) for programs that read the file of `sortlab
// tune`.

CpuChoices cpu_choices_in_use() { return cpu_choices(this_cpu(), cpu_tuning_in_use()).choices; }

void check_cpu_choices() {
  static const bool is_checked = [] {
    const auto file = cpu_tuning_in_use();
    const std::string warning = file ? cpu_choices(this_cpu(), file).warning : "";
    if (!warning.empty()) note("{}\n", warning);
    return true;
  }();
  (void)is_checked;
}

std::string describe_cpu_choices() {
  const auto known = cpu_choices(this_cpu(), cpu_tuning_in_use());
  std::string text = fmt::format("choices:   {}\n", known.source);
  if (!known.warning.empty()) text += fmt::format("           {}\n", known.warning);
  return text + readable_choices(known.choices);
}

}  // namespace sortlab
