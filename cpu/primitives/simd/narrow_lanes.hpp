// A vector of unsigned 16-bit keys: twice the lanes of 32-bit keys, for the lower bits of keys whose
// upper bits are known. Only networks use it (register_sort.inl.hpp). Signed ones exchange their lanes so, too.
//
// Only a run-time choice may call it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/contract/isa_region.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/primitives/simd/avx2_lanes.hpp"
#include "cpu/primitives/simd/avx512_lanes.hpp"
#include "cpu/primitives/simd/lanes.hpp"
#include "cpu/primitives/simd/neon_lanes.hpp"
#include "cpu/primitives/simd/tables.hpp"

namespace sortlab::cpu::primitives::simd {

/// For each of kLanes lanes of 16 bits: ones if its index has an odd number of the bits `bits`.
template <unsigned kBitsOfLane, std::size_t kLanes>
constexpr auto make_odd_words() {
  std::array<std::uint16_t, kLanes> words{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const bool odd = (odd_lanes<kLanes>(kBitsOfLane) >> lane & 1) != 0;
    words[lane] = odd ? 0xFFFF : 0;
  }
  return words;
}
template <unsigned kBitsOfLane, std::size_t kLanes>
alignas(64) inline constexpr auto kOddWords = make_odd_words<kBitsOfLane, kLanes>();

/// Sixteen words of ones, then as many of zeros: from word 16 - n on, the mask of the first n.
alignas(64) inline constexpr std::uint16_t kFirstWords[32] = {
    0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF,
    0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF, 0xFFFF};

}  // namespace sortlab::cpu::primitives::simd

#ifdef SORTLAB_X86
SORTLAB_AVX512_BEGIN
namespace sortlab::cpu::primitives::simd::avx512 {

template <>
struct Lanes<std::uint16_t> {
  using Key = std::uint16_t;
  using Vector = __m512i;
  static constexpr int kBits = 5;
  static constexpr std::size_t kCount = 32;

  static Vector load(const Key* from) { return _mm512_loadu_si512(from); }
  static Vector broadcast(Key key) { return _mm512_set1_epi16(static_cast<short>(key)); }
  static Vector subtract(Vector a, Vector b) { return _mm512_sub_epi16(a, b); }
  /// The first n lanes of v, and the other lanes from another vector.
  static Vector some(Vector v, std::size_t n, Vector others) {
    return _mm512_mask_mov_epi16(others, _bzhi_u32(0xFFFFFFFF, static_cast<unsigned>(n)), v);
  }
  /// Half of the lanes as 32-bit keys.
  static Vector lower_half(Vector v) { return _mm512_cvtepu16_epi32(_mm512_castsi512_si256(v)); }
  static Vector upper_half(Vector v) {
    return _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(v, 1));
  }

  static void order(Vector& a, Vector& b) {
    const Vector smaller = _mm512_min_epu16(a, b);
    b = the_other(a, b, smaller);
    a = smaller;
  }
  template <unsigned kBitsOfLane>
  static Vector flip_lanes(Vector v) {
    return _mm512_xor_si512(v, _mm512_load_si512(kOddWords<kBitsOfLane, kCount>.data()));
  }
  template <int kBit>
  static void exchange(Vector& a, Vector& b) {
    if constexpr (kBit == 0) {
      const Vector before = a;
      const Vector lower =
          _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 0, 1, 4, 5, 4, 5, 8, 9, 8, 9, 12, 13, 12, 13));
      const Vector upper = _mm512_broadcast_i32x4(
          _mm_setr_epi8(2, 3, 2, 3, 6, 7, 6, 7, 10, 11, 10, 11, 14, 15, 14, 15));
      a = _mm512_mask_shuffle_epi8(a, 0xCCCC'CCCC'CCCC'CCCC, b, lower);
      b = _mm512_mask_shuffle_epi8(b, 0x3333'3333'3333'3333, before, upper);
    } else {
      Lanes<std::int32_t>::exchange<kBit - 1>(a, b);
    }
  }
};

}  // namespace sortlab::cpu::primitives::simd::avx512
SORTLAB_AVX512_END

SORTLAB_AVX2_BEGIN
namespace sortlab::cpu::primitives::simd::avx2 {

template <>
struct Lanes<std::uint16_t> {
  using Key = std::uint16_t;
  using Vector = __m256i;
  static constexpr int kBits = 4;
  static constexpr std::size_t kCount = 16;

  static Vector load(const Key* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Vector broadcast(Key key) { return _mm256_set1_epi16(static_cast<short>(key)); }
  static Vector subtract(Vector a, Vector b) { return _mm256_sub_epi16(a, b); }
  static Vector some(Vector v, std::size_t n, Vector others) {
    return _mm256_blendv_epi8(others, v, load(kFirstWords + kCount - n));
  }
  static Vector lower_half(Vector v) { return _mm256_cvtepu16_epi32(_mm256_castsi256_si128(v)); }
  static Vector upper_half(Vector v) {
    return _mm256_cvtepu16_epi32(_mm256_extracti128_si256(v, 1));
  }

  static void order(Vector& a, Vector& b) {
    const Vector smaller = _mm256_min_epu16(a, b);
    b = _mm256_max_epu16(a, b);
    a = smaller;
  }
  template <unsigned kBitsOfLane>
  static Vector flip_lanes(Vector v) {
    const auto* const words = kOddWords<kBitsOfLane, kCount>.data();
    return _mm256_xor_si256(v, _mm256_load_si256(reinterpret_cast<const __m256i*>(words)));
  }
  template <int kBit>
  static void exchange(Vector& a, Vector& b) {
    if constexpr (kBit == 0) {
      const Vector before = a;
      a = _mm256_blend_epi16(a, _mm256_slli_epi32(b, 16), 0xAA);
      b = _mm256_blend_epi16(b, _mm256_srli_epi32(before, 16), 0x55);
    } else {
      Lanes<std::int32_t>::exchange<kBit - 1>(a, b);
    }
  }
};

}  // namespace sortlab::cpu::primitives::simd::avx2
SORTLAB_AVX2_END
#endif

#ifdef SORTLAB_ARM
namespace sortlab::cpu::primitives::simd::neon {

template <>
struct Lanes<std::uint16_t> {
  using Key = std::uint16_t;
  using Vector = uint16x8_t;
  static constexpr int kBits = 3;
  static constexpr std::size_t kCount = 8;

  static Vector load(const Key* from) { return vld1q_u16(from); }
  static Vector broadcast(Key key) { return vdupq_n_u16(key); }
  static Vector subtract(Vector a, Vector b) { return vsubq_u16(a, b); }
  static Vector some(Vector v, std::size_t n, Vector others) {
    return vbslq_u16(load(kFirstWords + 16 - n), v, others);
  }
  static int32x4_t lower_half(Vector v) {
    return vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(v)));
  }
  static int32x4_t upper_half(Vector v) { return vreinterpretq_s32_u32(vmovl_high_u16(v)); }

  static void order(Vector& a, Vector& b) {
    const Vector smaller = vminq_u16(a, b);
    b = vmaxq_u16(a, b);
    a = smaller;
  }
  template <unsigned kBitsOfLane>
  static Vector flip_lanes(Vector v) {
    return veorq_u16(v, load(kOddWords<kBitsOfLane, kCount>.data()));
  }
  template <int kBit>
  static void exchange(Vector& a, Vector& b) {
    if constexpr (kBit == 0) {
      const Vector before = a;
      a = vtrn1q_u16(a, b);
      b = vtrn2q_u16(before, b);
    } else {
      int32x4_t wide_a = vreinterpretq_s32_u16(a), wide_b = vreinterpretq_s32_u16(b);
      Lanes<std::int32_t>::exchange<kBit - 1>(wide_a, wide_b);
      a = vreinterpretq_u16_s32(wide_a);
      b = vreinterpretq_u16_s32(wide_b);
    }
  }
};

}  // namespace sortlab::cpu::primitives::simd::neon
#endif
