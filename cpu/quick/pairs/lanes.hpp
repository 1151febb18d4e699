// A vector of pairs for cpu/quick/pairs: keys, and values of 4 bytes in as many lanes. One mask moves
// both.
//
//   keys    k0 k1 k2 k3 ..     one mask     k1 k3 .. | .. k0 k2
//   values  v0 v1 v2 v3 ..    --------->    v1 v3 .. | .. v0 v2
//
// With AVX-512, keys of 4 bytes take vectors of 32 bytes, as with AVX2: a table holds a permutation for
// each set of 8 lanes, which 16 have not, and more ports of the core work on such vectors.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/contract/isa_region.hpp"
#include "common/contract/items.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/primitives/simple_sorts.hpp"

namespace sortlab::cpu::quick::pairs {
using primitives::heap_sort, primitives::insertion_sort, primitives::simd::choose_splitters,
    primitives::simd::Splitters;

/// The kernels for an instruction set.
template <class Key>
struct Calls {
  unsigned (*look)(const Key* keys, std::size_t n, Key flip);
  void (*sort)(const Items<Key, std::uint32_t>& users, std::size_t n, Key flip);
};

/// Values beside the lanes of any vector of keys, moved one by one.
template <std::size_t kCount>
struct ValueLoop {
  using Values = std::array<std::uint32_t, kCount>;

  static Values load(const std::uint32_t* from) {
    Values v;
    for (std::size_t i = 0; i < kCount; ++i) v[i] = from[i];
    return v;
  }
  /// Writes the values of the lanes of `right` in front of right_end, and the others from `left` on;
  /// kCount places are free at both.
  static void part(const Values& v, unsigned right, std::uint32_t* left, std::uint32_t* right_end) {
    Values parted;
    std::size_t lefts = 0, rights = kCount;
    for (std::size_t i = 0; i < kCount; ++i) {
      if ((right >> i & 1) == 0) parted[lefts++] = v[i];
    }
    for (std::size_t i = kCount; i-- > 0;) {
      if ((right >> i & 1) != 0) parted[--rights] = v[i];
    }
    std::copy_n(parted.begin(), kCount, left);
    std::copy_n(parted.begin(), kCount, right_end - kCount);
  }
};

/// Keys and values in the lanes of one of the shared vectors.
template <template <class> class LanesT, template <class, bool> class CodingT, class KeyT,
          class ValuesT>
struct KeyLanes {
  using Keys = LanesT<KeyT>;
  template <bool kFloat>
  using Code = CodingT<KeyT, kFloat>;
  using Values = ValuesT;
};

namespace scalar {
template <class Key>
using PairLanes = KeyLanes<primitives::simd::scalar::Lanes, primitives::simd::scalar::Coding, Key,
                           ValueLoop<primitives::simd::scalar::Lanes<Key>::kCount>>;
}
#ifdef SORTLAB_ARM
namespace neon {
template <class Key>
using PairLanes = KeyLanes<primitives::simd::neon::Lanes, primitives::simd::neon::Coding, Key,
                           ValueLoop<primitives::simd::neon::Lanes<Key>::kCount>>;
}
#endif

#ifdef SORTLAB_X86
SORTLAB_AVX2_BEGIN
namespace avx2 {
alignas(64) inline constexpr auto kPartTable4 =
    primitives::simd::make_part_table<std::uint32_t, 4, 1>();

struct Values4 {
  using Values = __m128i;
  static Values load(const std::uint32_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static void part(Values v, unsigned right, std::uint32_t* left, std::uint32_t* right_end) {
    const __m128i lanes =
        _mm_load_si128(reinterpret_cast<const __m128i*>(kPartTable4[right].data()));
    const Values parted = _mm_castps_si128(_mm_permutevar_ps(_mm_castsi128_ps(v), lanes));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(left), parted);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(right_end - 4), parted);
  }
};
struct Values8 {
  using Values = __m256i;
  static Values load(const std::uint32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void part(Values v, unsigned right, std::uint32_t* left, std::uint32_t* right_end) {
    const auto* const lanes =
        reinterpret_cast<const __m256i*>(primitives::simd::kPartTable8Wide[right].data());
    const Values parted = _mm256_permutevar8x32_epi32(v, _mm256_load_si256(lanes));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(left), parted);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(right_end - 8), parted);
  }
};

template <class Key>
using PairLanes = KeyLanes<primitives::simd::avx2::Lanes, primitives::simd::avx2::Coding, Key,
                           std::conditional_t<sizeof(Key) == 4, Values8, Values4>>;
}  // namespace avx2
SORTLAB_AVX2_END

namespace avx512 {
template <class Key>
struct OfKey {
  using PairLanes = avx2::PairLanes<Key>;
};
template <>
struct OfKey<std::int64_t> {
  using PairLanes = KeyLanes<primitives::simd::avx512::Lanes, primitives::simd::avx512::Coding,
                             std::int64_t, avx2::Values8>;
};
template <class Key>
using PairLanes = typename OfKey<Key>::PairLanes;
}  // namespace avx512
#endif

}  // namespace sortlab::cpu::quick::pairs
