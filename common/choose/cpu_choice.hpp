// What cpu/auto chooses on a CPU: from the file of `sortlab tune` or from what is built in.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/choose/choice_table.hpp"
#include "common/choose/tune_file.hpp"
#include "common/contract/variant.hpp"

namespace sortlab {

/// What a choice must know of a CPU.
struct CpuFacts {
  std::string name;
  bool amd = false;  // Zen 4 has vectors of half the width for AVX-512
  bool arm = false;
};
CpuFacts this_cpu();

/// The choices for one CPU.
struct KnownCpuChoices {
  CpuChoices choices;
  std::string
      source;  // "built in, measured on ...", or that it was not, or "FILE, measured on ..."
  std::string warning;  // one line where the file to go by is for another CPU; else ""
};

/// Each setting's choices from the first of these that has any: `file`, if it is for this CPU; what
/// is built in for AMD's CPUs (cpu/auto/amd.json), if it is one, or for Arm's (cpu/auto/arm.json, which
/// nobody has measured); what is built in (cpu/auto/intel.json).
KnownCpuChoices cpu_choices(const CpuFacts& cpu, const std::optional<CpuTuning>& file);

/// What is chosen for every n, or for those that are powers of two, among the candidates
/// that have code for the types; of pairs only stable ones. Their ranks decide where `steps` is null. Throws BadInput when there is none.
std::vector<FitStep> fit_cpu_steps(const Steps* steps, KeyType type, std::size_t value_bytes,
                                   bool power_of_two);

/// For each instruction set and thread count whose code, ready to be called. The measured thread
/// count that is nearest as a ratio decides.
class CpuChoiceTables {
 public:
  explicit CpuChoiceTables(const CpuChoices& choices);

  const ChoiceTable& table(Isa isa, int threads, std::size_t n) const {
    const ForThreads* some = of_isa_[static_cast<std::size_t>(isa)].data();
    while (threads > some->most) ++some;
    // std::has_single_bit is a call where the base line has no instruction for it.
    return (n & (n - 1)) == 0 ? some->powers_of_two : some->others;
  }

  template <class Visit>
  void for_each_table(Isa isa, Visit visit) const {
    for (const auto& some : of_isa_[static_cast<std::size_t>(isa)]) {
      visit(some.powers_of_two);
      visit(some.others);
    }
  }

 private:
  struct ForThreads {
    int most;  // threads
    ChoiceTable powers_of_two, others;
  };
  std::array<std::vector<ForThreads>, kIsaCount> of_isa_;  // each to any number of threads
};

/// Throws BadInput when the file to go by is malformed. One for another CPU gets its line on stderr,
/// once.
void check_cpu_tuning();

/// What is chosen on this CPU, and where that comes from, for people. Throws BadInput for a file to
/// go by that is malformed.
std::string describe_cpu_choices();

/// What is chosen, a block for each setting.
std::string readable_choices(const CpuChoices& choices);

}  // namespace sortlab
