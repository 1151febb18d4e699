// Live bits: the highest bits in which the keys differ. Digits and numbers are made from them.
//
//   keys       a a a 0 0 0 0 b b b b 0 c c c        0: equal in all keys
//   together   a a a b b b b c                      one instruction (CPUs with AVX-512 have it)
//   adjacent   a a a 0 0 0 0 b                      by a shift
//
// Keys made of fields (a row above a column, a tile above a depth, the bytes of a text) have equal
// bits between the fields. These are left out, so they take no space in a digit.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/contract/isa_region.hpp"
#include "cpu/primitives/simd/intrinsics.hpp"

namespace sortlab::cpu::radix::pairs {

/// Adjacent bits, from the highest live one down.
template <class Bits>
struct AdjacentBits {
  Bits mask;
  int shift;

  /// At most `count` < 32 bits for keys that differ only in `live`, which is not 0.
  static AdjacentBits highest(Bits live, int count) {
    const int width = static_cast<int>(std::bit_width(live));
    const int kept = count < width ? count : width;
    const int shift = width - kept;
    return {static_cast<Bits>(((Bits{1} << kept) - 1) << shift), shift};
  }
  std::size_t values() const { return std::size_t{1} << std::popcount(mask); }
  std::uint32_t operator()(Bits key) const {
    return static_cast<std::uint32_t>((key & mask) >> shift);
  }
};

#ifdef SORTLAB_X86
SORTLAB_AVX512_BEGIN
namespace avx512 {
/// Only live bits, wherever they are.
template <class Bits>
struct LiveBits {
  Bits mask;

  static LiveBits highest(Bits live, int count) {
    const int all = _mm_popcnt_u64(live);
    const std::uint64_t kept = ~std::uint64_t{0} << (count < all ? all - count : 0);
    return {static_cast<Bits>(_pdep_u64(kept, live))};
  }
  std::size_t values() const { return std::size_t{1} << _mm_popcnt_u64(mask); }
  std::uint32_t operator()(Bits key) const {
    return static_cast<std::uint32_t>(_pext_u64(key, mask));
  }
};
}  // namespace avx512
SORTLAB_AVX512_END

namespace avx2 {
template <class Bits>
using LiveBits = AdjacentBits<Bits>;
}
#endif
#ifdef SORTLAB_ARM
namespace neon {
template <class Bits>
using LiveBits = AdjacentBits<Bits>;
}
#endif

}  // namespace sortlab::cpu::radix::pairs
