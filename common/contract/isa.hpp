// The instruction sets that a CPU variant can be written for, and which of them this process uses.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sortlab {

enum class Isa : std::uint8_t { scalar, avx2, avx512 };
inline constexpr int kIsaCount = 3;

constexpr std::string_view name_of(Isa isa) {
  constexpr std::string_view kNames[kIsaCount] = {"scalar", "avx2", "avx512"};
  return kNames[static_cast<int>(isa)];
}

/// The instruction sets that a variant has code for. `scalar` is always among them.
struct IsaSet {
  std::uint8_t mask = 1;

  constexpr bool has(Isa isa) const { return (mask >> static_cast<int>(isa)) & 1; }
  constexpr IsaSet with(Isa isa) const {
    return {static_cast<std::uint8_t>(mask | (1 << static_cast<int>(isa)))};
  }
};
inline constexpr IsaSet kScalarOnly{};
inline constexpr IsaSet kScalarAndAvx2 = kScalarOnly.with(Isa::avx2);
inline constexpr IsaSet kScalarToAvx512 = kScalarAndAvx2.with(Isa::avx512);

std::optional<Isa> isa_from_name(std::string_view name);

/// The best instruction set that this CPU has and its operating system saves (CPUID and XCR0).
Isa best_isa_of_cpu();

/// The best one that may be used: best_isa_of_cpu(), lowered by the environment variable
/// SORTLAB_ISA. Throws BadInput when SORTLAB_ISA names no instruction set, or one that this CPU
/// lacks.
Isa usable_isa();

/// The best of `set` that is not above `ceiling`.
Isa best_of(IsaSet set, Isa ceiling);

}  // namespace sortlab
