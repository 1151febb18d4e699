// The instruction sets that a CPU variant can be written for, and which of them this process uses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "common/contract/isa_region.hpp"

namespace sortlab {

/// A CPU with AVX-512 has AVX2 as well. NEON means that of 64-bit Arm.
enum class Isa : std::uint8_t { scalar, avx2, avx512, neon };
inline constexpr int kIsaCount = 4;

constexpr std::string_view name_of(Isa isa) {
  constexpr std::string_view kNames[kIsaCount] = {"scalar", "avx2", "avx512", "neon"};
  return kNames[static_cast<int>(isa)];
}

/// Whether a CPU whose best instruction set is `best` has `isa`.
constexpr bool has_isa(Isa best, Isa isa) {
  return isa == Isa::scalar || isa == best || (isa == Isa::avx2 && best == Isa::avx512);
}

/// The instruction sets of the architecture that this build is for, the best one last.
#if defined(SORTLAB_X86)
inline constexpr std::array kIsasOfBuild = {Isa::scalar, Isa::avx2, Isa::avx512};
#elif defined(SORTLAB_ARM)
inline constexpr std::array kIsasOfBuild = {Isa::scalar, Isa::neon};
#else
inline constexpr std::array kIsasOfBuild = {Isa::scalar};
#endif

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
inline constexpr IsaSet kEveryIsa = kScalarAndAvx2.with(Isa::avx512).with(Isa::neon);

std::optional<Isa> isa_from_name(std::string_view name);

#ifdef SORTLAB_X86
/// The answers of CPUID that name features, by leaf and register, and XCR0: the registers that the
/// operating system saves.
struct CpuFeatures {
  unsigned leaf_1_ecx = 0, leaf_7_ebx = 0, leaf_80000001_ecx = 0, xcr0 = 0;
};

/// The best instruction set for which `cpu` has every feature that its regions are compiled with
/// (isa_region.hpp).
Isa best_isa_of(const CpuFeatures& cpu);
#endif

/// The best instruction set that this CPU has and whose registers the operating system saves. On
/// x86-64: by CPUID and XCR0; every 64-bit Arm CPU has NEON.
Isa best_isa_of_cpu();

/// The best one that may be used: best_isa_of_cpu(), lowered by the environment variable
/// SORTLAB_ISA. Throws BadInput when SORTLAB_ISA names no instruction set, or one that this CPU
/// lacks.
Isa usable_isa();

/// The best of `set` on a CPU whose best one is `ceiling`.
Isa best_of(IsaSet set, Isa ceiling);

}  // namespace sortlab
