// A vector of 16 signed 32-bit or 8 signed 64-bit keys in an AVX-512 register, with the operations
// of networks and partitions.
//
// Only a run-time choice may call it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract/isa_region.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/primitives/simd/tables.hpp"

#ifdef SORTLAB_X86
SORTLAB_AVX512_BEGIN
namespace sortlab::cpu::primitives::simd::avx512 {

template <class Key>
struct Lanes;

/// The other one of two values in each lane, if `one` is one of them: the maximum if `one` is the
/// minimum. It is a bitwise operation, because Intel's cores have one port for minima and maxima,
/// but two for these.
/// measured: a network of 16 rows is 1.4x faster (80 u64 keys: 94 ns vs 127); a Sapphire Rapids Xeon,
/// quick_simd.one_core.txt
[[gnu::always_inline]] inline __m512i the_other(__m512i a, __m512i b, __m512i one) {
  constexpr int kXorOfThree = 0x96;
  return _mm512_ternarylogic_epi64(a, b, one, kXorOfThree);
}

template <>
struct Lanes<std::int32_t> {
  using Key = std::int32_t;
  using Vector = __m512i;
  static constexpr int kBits = 4;
  static constexpr std::size_t kCount = 16;
  static constexpr int kRegisters = 32;

  static Vector load(const Key* from) { return _mm512_loadu_si512(from); }
  static void store(Key* to, Vector v) { _mm512_storeu_si512(to, v); }
  static void stream(Key* to, Vector v) { _mm512_stream_si512(reinterpret_cast<__m512i*>(to), v); }
  static Vector broadcast(Key key) { return _mm512_set1_epi32(key); }

  static __mmask16 first(std::size_t n) {
    return _cvtu32_mask16(_bzhi_u32(0xFFFF, static_cast<unsigned>(n)));
  }
  static Vector load_some(const Key* from, std::size_t n, Vector others) {
    return _mm512_mask_loadu_epi32(others, first(n), from);
  }
  static void store_some(Key* to, Vector v, std::size_t n) {
    _mm512_mask_storeu_epi32(to, first(n), v);
  }

  static Vector add(Vector a, Vector b) { return _mm512_add_epi32(a, b); }
  static Vector subtract(Vector a, Vector b) { return _mm512_sub_epi32(a, b); }
  static Vector iota() {
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  }
  template <int kBitCount>
  static Vector shift_left(Vector v) {
    return _mm512_slli_epi32(v, kBitCount);
  }
  /// The first n lanes of v, and others.
  static Vector some(Vector v, std::size_t n, Vector others) {
    return _mm512_mask_mov_epi32(others, first(n), v);
  }
  static Vector signs(Vector v) { return _mm512_srai_epi32(v, 31); }
  static Vector bit_and(Vector a, Vector b) { return _mm512_and_si512(a, b); }
  static Vector bit_xor(Vector a, Vector b) { return _mm512_xor_si512(a, b); }

  static void order(Vector& a, Vector& b) {
    const Vector smaller = _mm512_min_epi32(a, b);
    b = the_other(a, b, smaller);
    a = smaller;
  }
  template <unsigned kBitsOfLane>
  static Vector flip_lanes(Vector v) {
    return _mm512_mask_xor_epi32(v, odd_lanes<16>(kBitsOfLane), v, _mm512_set1_epi32(-1));
  }
  template <int kBit>
  static void exchange(Vector& a, Vector& b) {
    constexpr __mmask16 kUpper = odd_lanes<16>(1u << kBit), kLower = 0xFFFF ^ kUpper;
    const Vector before = a;
    if constexpr (kBit == 0) {
      a = _mm512_mask_shuffle_epi32(a, kUpper, b, _MM_PERM_CCAA);
      b = _mm512_mask_shuffle_epi32(b, kLower, before, _MM_PERM_DDBB);
    } else if constexpr (kBit == 1) {
      a = _mm512_unpacklo_epi64(a, b);
      b = _mm512_unpackhi_epi64(before, b);
    } else if constexpr (kBit == 2) {
      a = _mm512_mask_shuffle_i32x4(a, kUpper, b, b, 0b10100000);
      b = _mm512_mask_shuffle_i32x4(b, kLower, before, before, 0b11110101);
    } else {
      a = _mm512_shuffle_i64x2(a, b, 0b01000100);
      b = _mm512_shuffle_i64x2(before, b, 0b11101110);
    }
  }

  static unsigned greater(Vector a, Vector b) { return _mm512_cmpgt_epi32_mask(a, b); }
  static unsigned equal(Vector a, Vector b) { return _mm512_cmpeq_epi32_mask(a, b); }

  /// Writes the lanes of a set from `to` on; 16 places are free there.
  static void put_left(Vector v, unsigned set, Key* to) {
    store(to, _mm512_maskz_compress_epi32(static_cast<__mmask16>(set), v));
  }
  /// Writes the lanes of a set in front of `end` and returns how many they are.
  static std::size_t put_right(Vector v, unsigned set, Key* end) {
    const auto count = static_cast<std::size_t>(_mm_popcnt_u32(set));
    store_some(end - count, _mm512_maskz_compress_epi32(static_cast<__mmask16>(set), v), count);
    return count;
  }
  /// Both, with the lanes of `right` on the right and the others on the left.
  static std::size_t part(Vector v, unsigned right, Key* left, Key* right_end) {
    put_left(v, ~right, left);
    return put_right(v, right, right_end);
  }
};

template <>
struct Lanes<std::int64_t> {
  using Key = std::int64_t;
  using Vector = __m512i;
  static constexpr int kBits = 3;
  static constexpr std::size_t kCount = 8;
  static constexpr int kRegisters = 32;

  static Vector load(const Key* from) { return _mm512_loadu_si512(from); }
  static void store(Key* to, Vector v) { _mm512_storeu_si512(to, v); }
  static void stream(Key* to, Vector v) { _mm512_stream_si512(reinterpret_cast<__m512i*>(to), v); }
  static Vector broadcast(Key key) { return _mm512_set1_epi64(key); }

  static __mmask8 first(std::size_t n) {
    return _cvtu32_mask8(_bzhi_u32(0xFF, static_cast<unsigned>(n)));
  }
  static Vector load_some(const Key* from, std::size_t n, Vector others) {
    return _mm512_mask_loadu_epi64(others, first(n), from);
  }
  static void store_some(Key* to, Vector v, std::size_t n) {
    _mm512_mask_storeu_epi64(to, first(n), v);
  }

  static Vector subtract(Vector a, Vector b) { return _mm512_sub_epi64(a, b); }
  static Vector shift_right(Vector v, int bits) {
    return _mm512_srl_epi64(v, _mm_cvtsi32_si128(bits));
  }
  /// The keys from[places[0] & mask], from[places[1] & mask], ..
  static Vector gather(const Key* from, const std::int32_t* places, std::int32_t mask) {
    const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(places));
    return _mm512_i32gather_epi64(_mm256_and_si256(all, _mm256_set1_epi32(mask)), from, 8);
  }
  /// The lower halves of the lanes of two vectors.
  static Vector lower_words(Vector a, Vector b) {
    const Vector even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_epi32(a, even, b);
  }
  static Vector signs(Vector v) { return _mm512_srai_epi64(v, 63); }
  static Vector bit_and(Vector a, Vector b) { return _mm512_and_si512(a, b); }
  static Vector bit_xor(Vector a, Vector b) { return _mm512_xor_si512(a, b); }

  static void order(Vector& a, Vector& b) {
    const Vector smaller = _mm512_min_epi64(a, b);
    b = the_other(a, b, smaller);
    a = smaller;
  }
  template <unsigned kBitsOfLane>
  static Vector flip_lanes(Vector v) {
    return _mm512_mask_xor_epi64(v, odd_lanes<8>(kBitsOfLane), v, _mm512_set1_epi64(-1));
  }
  template <int kBit>
  static void exchange(Vector& a, Vector& b) {
    constexpr __mmask8 kUpper = odd_lanes<8>(1u << kBit), kLower = 0xFF ^ kUpper;
    const Vector before = a;
    if constexpr (kBit == 0) {
      a = _mm512_unpacklo_epi64(a, b);
      b = _mm512_unpackhi_epi64(before, b);
    } else if constexpr (kBit == 1) {
      a = _mm512_mask_shuffle_i64x2(a, kUpper, b, b, 0b10100000);
      b = _mm512_mask_shuffle_i64x2(b, kLower, before, before, 0b11110101);
    } else {
      a = _mm512_shuffle_i64x2(a, b, 0b01000100);
      b = _mm512_shuffle_i64x2(before, b, 0b11101110);
    }
  }

  static unsigned greater(Vector a, Vector b) { return _mm512_cmpgt_epi64_mask(a, b); }
  static unsigned equal(Vector a, Vector b) { return _mm512_cmpeq_epi64_mask(a, b); }

  static Vector parted(Vector v, unsigned right) {
    const auto* const entry = reinterpret_cast<const __m128i*>(kPartTable8[right].data());
    return _mm512_permutexvar_epi64(_mm512_cvtepu8_epi64(_mm_loadl_epi64(entry)), v);
  }
  /// As above; 8 places are free at both ends.
  static void put_left(Vector v, unsigned set, Key* to) { store(to, parted(v, set ^ 0xFF)); }
  static std::size_t put_right(Vector v, unsigned set, Key* end) {
    store(end - kCount, parted(v, set));
    return static_cast<std::size_t>(_mm_popcnt_u32(set));
  }
  static std::size_t part(Vector v, unsigned right, Key* left, Key* right_end) {
    const Vector both = parted(v, right);
    store(left, both);
    store(right_end - kCount, both);
    return static_cast<std::size_t>(_mm_popcnt_u32(right));
  }
};

}  // namespace sortlab::cpu::primitives::simd::avx512
SORTLAB_AVX512_END
#endif
