// Which CPU sort is chosen for which input: thresholds from measurements.
//
// A choice must cost nothing beside sorts of 20 ns: it compares numbers and looks up no name. Where
// the figures are from: auto.md.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/isa.hpp"

namespace sortlab::cpu_auto {

/// The sorts that may be chosen.
enum class Rung : std::uint8_t { quick, hybrid, merge, bitonic };
inline constexpr std::string_view kIds[] = {"cpu/quick/simd", "cpu/radix/hybrid", "cpu/merge/simd",
                                            "cpu/bitonic/simd"};
inline constexpr int kRungs = 4;

/// Those that this build has.
class RungSet {
 public:
  constexpr bool has(Rung rung) const { return (mask_ >> static_cast<int>(rung)) & 1; }
  constexpr void add(Rung rung) { mask_ |= 1u << static_cast<int>(rung); }
  static constexpr RungSet all() {
    RungSet set;
    set.mask_ = (1u << kRungs) - 1;
    return set;
  }

 private:
  unsigned mask_ = 0;
};

/// What a choice goes by.
struct Situation {
  std::size_t n = 0;
  std::size_t key_bytes = 4;
  bool pairs = false;
  int threads = 1;
  Isa isa = Isa::scalar;
  bool amd = false;       // the CPU's maker: Zen 4 has vectors of half the width for AVX-512
  bool reversed = false;  // as far as a first look tells
};

inline constexpr int kManyThreads = 8;

/// From here on, threads share the work of some rungs sooner than of others.
inline constexpr std::size_t kWorthManyThreads = std::size_t{48} << 10;

/// From here on a first look at the keys may tell which sort to choose.
inline constexpr std::size_t kWorthALook = std::size_t{1} << 20;

// Million keys a second on the AVX-512 machine of results/xeon16, unless said.

/// For 4-byte keys alone, with vectors.
constexpr Rung fastest_for_narrow_keys(const Situation& s) {
  // Cached, by one thread: 743 and 472 at 2^10 and 2^12 against quick's 560 and 371.
  if (s.n >= 384 && s.n <= 8192) return Rung::bitonic;
  // 585, 1420 and 1631 at 2^16, 2^18 and 2^20 against quick's 415, 973 and 1828.
  const bool is_mid_sized = s.n >= kWorthManyThreads && s.n < 700'000;
  return s.threads >= kManyThreads && is_mid_sized ? Rung::merge : Rung::quick;
}

/// For 8-byte keys alone, with vectors.
constexpr Rung fastest_for_wide_keys(const Situation& s) {
  // Other sizes cost the network padding: Zen 4, 507 and 353 at 2^9 and 2^10 against quick's 411
  // and 265, but 283 at 700 against 358.
  if (s.n >= 256 && s.n <= 1024 && std::has_single_bit(s.n)) return Rung::bitonic;
  // With vectors of four keys, comparisons lose their lead over digits: 63 at 2^24 against hybrid's
  // 79; Zen 4, AVX2, 157 at 2^14 against 236; Zen 4, AVX-512, 228 at 2^15 against 341.
  if (s.n >= 12'000 && (s.isa == Isa::avx2 || s.amd)) return Rung::hybrid;
  // 337, 639 and 832 at 2^16, 2^18 and 2^20 against hybrid's 501, 656 and 735.
  const bool is_mid_sized = s.n >= kWorthManyThreads && s.n < 300'000;
  return s.threads >= kManyThreads && is_mid_sized ? Rung::hybrid : Rung::quick;
}

/// The fastest of all, whichever a build has.
constexpr Rung fastest(const Situation& s) {
  if (s.pairs) return Rung::hybrid;  // the others are for keys alone
  // Zen 4: quick's 112 and 89 at 64 and 2^10 against 83 and 195.
  if (s.isa == Isa::scalar) return s.n < 128 ? Rung::quick : Rung::hybrid;
  // 8242 at 2^26 against quick's 4264.
  if (s.reversed && s.threads >= kManyThreads) return Rung::hybrid;
  return s.key_bytes == 4 ? fastest_for_narrow_keys(s) : fastest_for_wide_keys(s);
}

/// The fastest of those that this build has, which must be quick and hybrid at least.
constexpr Rung choose(const Situation& s, RungSet there) {
  const Rung best = fastest(s);
  return there.has(best) ? best : Rung::quick;
}

}  // namespace sortlab::cpu_auto
