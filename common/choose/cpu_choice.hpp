// The choices of cpu/auto for n and the types, as tables for fast look-up.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/choose/choice_table.hpp"
#include "common/choose/tune_file.hpp"
#include "common/contract/isa.hpp"
#include "common/contract/usable_cpus.hpp"
#include "common/contract/variant.hpp"

namespace sortlab {

/// Measured on an Intel CPU. Used for all Intel CPUs, and for CPUs without their own choices.
CpuTuning builtin_intel_tuning();
/// Measured on an AMD CPU. Holds only the choices that differ there.
CpuTuning builtin_amd_tuning();
/// Derived by reasoning for Arm CPUs; not measured.
CpuTuning builtin_arm_tuning();

/// CPUs that have their own choices. AMD's Zen 4 has vectors of half the width for AVX-512.
enum class CpuKind : std::uint8_t { other, amd, arm };

inline CpuKind kind_of_this_cpu() {
  if (kIsasOfBuild.back() == Isa::neon) return CpuKind::arm;
  return cpu_is_amd() ? CpuKind::amd : CpuKind::other;
}

/// The built-in choices; reads no file.
CpuChoices builtin_cpu_choices(CpuKind kind);

/// Puts the choices that were made later in place of those for the same settings and types.
void replace(CpuChoices& choices, const CpuChoices& later);

/// The choice for every n, or only for powers of two, among the candidates that have code for the
/// types; for pairs only stable ones, unless they may come out in any order. Where `steps` is null, the
/// candidates' ranks decide. Throws BadInput when there is no candidate.
std::vector<FitStep> fit_cpu_steps(const Steps* steps, KeyType type, std::size_t value_bytes,
                                   bool power_of_two, bool any_order = false);

/// For each instruction set and thread count: the chosen sort's code, ready to be called. The
/// measured thread count with the nearest ratio decides. For pairs in any order, the choices for stable
/// sorts hold where there are no others.
class CpuChoiceTables {
 public:
  explicit CpuChoiceTables(const CpuChoices& choices, bool any_order = false);

  const ChoiceTable& table(Isa isa, int threads, std::size_t n) const {
    const ForThreads* some = of_isa_[static_cast<std::size_t>(isa)].data();
    while (threads > some->most) ++some;
    // std::has_single_bit compiles to a call if the base instruction set has no instruction for it.
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

// The choices that cpu/auto uses in this program. Each program is linked with one definition of these functions:
//   common/choose/cpu_tuning.cpp      the tool's: the file of `sortlab tune`, if there is one
//   library/host/builtin_choices.cpp  the library's built-in choices; reads no file

/// Throws BadInput when the tune file is malformed.
CpuChoices cpu_choices_in_use();

/// Throws BadInput when the tune file is malformed. A file for another CPU gets one warning on
/// stderr.
void check_cpu_choices();

/// A text that says which sorts are chosen on this CPU, and the source of these choices. Throws
/// BadInput when the tune file is malformed.
std::string describe_cpu_choices();

}  // namespace sortlab
