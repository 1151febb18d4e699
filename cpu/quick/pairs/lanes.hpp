// The vectors of cpu/quick/pairs beside the shared ones: values of 4 bytes next to keys of 8, and words
// made of a key and a value of 4 bytes.
//
//   keys    k0 k1 k2 k3 ..     one mask     k1 k3 .. | .. k0 k2
//   values  v0 v1 v2 v3 ..    --------->    v1 v3 .. | .. v0 v2
//
// AVX-512 and AVX2 have their own; NEON and scalar code take a loop over the lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/contract/isa_region.hpp"
#include "cpu/primitives/simd/lanes.hpp"

namespace sortlab::cpu::quick::pairs {

/// The values beside the lanes of a vector of 64-bit keys, and pairs of 32 + 32 bits as words.
template <class Lanes>
struct LoopLanes {
  static constexpr std::size_t kCount = Lanes::kCount;
  using Values = std::array<std::uint32_t, kCount>;

  static Values load(const std::uint32_t* from) {
    Values v;
    for (std::size_t i = 0; i < kCount; ++i) v[i] = from[i];
    return v;
  }
  /// Writes the values of the lanes of `right` in front of right_end, and the others from `left` on. kCount
  /// places are free at both.
  static void part(const Values& v, unsigned right, std::uint32_t* left, std::uint32_t* right_end) {
    std::size_t lefts = 0, rights = 0;
    Values parted;
    for (std::size_t i = 0; i < kCount; ++i) lefts += (right >> i & 1) == 0;
    rights = lefts;
    lefts = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      parted[(right >> i & 1) == 0 ? lefts++ : rights++] = v[i];
    }
    for (std::size_t i = 0; i < kCount; ++i) left[i] = parted[i];
    for (std::size_t i = 0; i < kCount; ++i) right_end[i - kCount] = parted[i];
  }

  static typename Lanes::Vector words(const std::int32_t* keys, const std::uint32_t* values) {
    std::int64_t words[kCount];
    for (std::size_t i = 0; i < kCount; ++i) {
      words[i] = static_cast<std::int64_t>(
          static_cast<std::uint64_t>(static_cast<std::uint32_t>(keys[i])) << 32 | values[i]);
    }
    return Lanes::load(words);
  }
  static void store_words(typename Lanes::Vector v, std::int32_t* keys, std::uint32_t* values) {
    std::int64_t words[kCount];
    Lanes::store(words, v);
    for (std::size_t i = 0; i < kCount; ++i) {
      keys[i] = static_cast<std::int32_t>(words[i] >> 32);
      values[i] = static_cast<std::uint32_t>(words[i]);
    }
  }
};

#ifdef SORTLAB_X86
SORTLAB_AVX512_BEGIN
namespace avx512 {
struct PairLanes {
  using Values = __m256i;

  static Values load(const std::uint32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void store(std::uint32_t* to, Values v) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v);
  }
  static void part(Values v, unsigned right, std::uint32_t* left, std::uint32_t* right_end) {
    const auto* const entry =
        reinterpret_cast<const __m128i*>(primitives::simd::kPartTable8[right].data());
    const Values parted =
        _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(_mm_loadl_epi64(entry)));
    store(left, parted);
    store(right_end - 8, parted);
  }

  static __m512i words(const std::int32_t* keys, const std::uint32_t* values) {
    const __m512i high =
        _mm512_cvtepu32_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys)));
    return _mm512_or_si512(_mm512_slli_epi64(high, 32), _mm512_cvtepu32_epi64(load(values)));
  }
  static void store_words(__m512i v, std::int32_t* keys, std::uint32_t* values) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(keys),
                        _mm512_cvtepi64_epi32(_mm512_srli_epi64(v, 32)));
    store(values, _mm512_cvtepi64_epi32(v));
  }
};
}  // namespace avx512
SORTLAB_AVX512_END

SORTLAB_AVX2_BEGIN
namespace avx2 {
alignas(64) inline constexpr auto kPartTable4 =
    primitives::simd::make_part_table<std::uint32_t, 4, 1>();

struct PairLanes {
  using Values = __m128i;

  static Values load(const std::uint32_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static void store(std::uint32_t* to, Values v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v);
  }
  static void part(Values v, unsigned right, std::uint32_t* left, std::uint32_t* right_end) {
    const __m128i lanes =
        _mm_load_si128(reinterpret_cast<const __m128i*>(kPartTable4[right].data()));
    const Values parted = _mm_castps_si128(_mm_permutevar_ps(_mm_castsi128_ps(v), lanes));
    store(left, parted);
    store(right_end - 4, parted);
  }

  static __m256i words(const std::int32_t* keys, const std::uint32_t* values) {
    const __m256i high =
        _mm256_cvtepu32_epi64(_mm_loadu_si128(reinterpret_cast<const __m128i*>(keys)));
    return _mm256_or_si256(_mm256_slli_epi64(high, 32), _mm256_cvtepu32_epi64(load(values)));
  }
  static void store_words(__m256i v, std::int32_t* keys, std::uint32_t* values) {
    const __m256i halves =
        _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
    store(values, _mm256_castsi256_si128(halves));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(keys), _mm256_extracti128_si256(halves, 1));
  }
};
}  // namespace avx2
SORTLAB_AVX2_END
#endif

#ifdef SORTLAB_ARM
namespace neon {
using PairLanes = LoopLanes<primitives::simd::neon::Lanes<std::int64_t>>;
}
#endif
namespace scalar {
using PairLanes = LoopLanes<primitives::simd::scalar::Lanes<std::int64_t>>;
}

}  // namespace sortlab::cpu::quick::pairs
