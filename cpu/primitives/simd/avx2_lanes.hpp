// A vector of 8 signed 32-bit or 4 signed 64-bit keys in an AVX2 register, with the operations of
// networks and partitions.
//
// Only a run-time choice may call it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract/isa_region.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/primitives/simd/tables.hpp"

#ifdef SORTLAB_X86
namespace sortlab::cpu::primitives::simd {
/// Eight words of ones, then eight of zeros: from word 8 - n on, the mask of the first n lanes.
alignas(64) inline constexpr std::int32_t kFirstLanes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
}  // namespace sortlab::cpu::primitives::simd

SORTLAB_AVX2_BEGIN
namespace sortlab::cpu::primitives::simd::avx2 {

template <class Key>
struct Lanes;

/// The parts that do not depend on the width of a key.
template <class KeyT>
struct AnyLanes {
  using Key = KeyT;
  using Vector = __m256i;
  static constexpr std::size_t kCount = sizeof(Vector) / sizeof(Key);
  static constexpr int kRegisters = 16;

  static Vector load(const Key* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void store(Key* to, Vector v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v); }
  static void stream(Key* to, Vector v) { _mm256_stream_si256(reinterpret_cast<__m256i*>(to), v); }
  static Vector first(std::size_t n) {
    const auto* const mask = kFirstLanes + 8 - n * (sizeof(Key) / 4);
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(mask));
  }
  static Vector bit_and(Vector a, Vector b) { return _mm256_and_si256(a, b); }
  static Vector bit_xor(Vector a, Vector b) { return _mm256_xor_si256(a, b); }

  /// The lanes of a set behind the others.
  static Vector parted(Vector v, unsigned set) {
    const std::uint32_t* entry;
    if constexpr (kCount == 8) entry = kPartTable8Wide[set].data();
    if constexpr (kCount == 4) entry = kPartTable4Wide[set].data();
    return _mm256_permutevar8x32_epi32(v,
                                       _mm256_load_si256(reinterpret_cast<const __m256i*>(entry)));
  }
  /// Writes the lanes of a set from `to` on; a whole vector must be free there.
  static void put_left(Vector v, unsigned set, Key* to) {
    store(to, parted(v, set ^ ((1u << kCount) - 1)));
  }
  /// Writes the lanes of a set in front of `end`, where a whole vector must be free, and returns
  /// how many they are.
  static std::size_t put_right(Vector v, unsigned set, Key* end) {
    store(end - kCount, parted(v, set));
    return static_cast<std::size_t>(_mm_popcnt_u32(set));
  }
  /// Both, with the lanes of `right` on the right and the others on the left.
  static std::size_t part(Vector v, unsigned right, Key* left, Key* right_end) {
    const Vector both = parted(v, right);
    store(left, both);
    store(right_end - kCount, both);
    return static_cast<std::size_t>(_mm_popcnt_u32(right));
  }
};

template <>
struct Lanes<std::int32_t> : AnyLanes<std::int32_t> {
  static constexpr int kBits = 3;

  static Vector broadcast(Key key) { return _mm256_set1_epi32(key); }
  static Vector load_some(const Key* from, std::size_t n, Vector others) {
    const Vector mask = first(n);
    return _mm256_blendv_epi8(others, _mm256_maskload_epi32(from, mask), mask);
  }
  static void store_some(Key* to, Vector v, std::size_t n) {
    _mm256_maskstore_epi32(to, first(n), v);
  }
  static Vector add(Vector a, Vector b) { return _mm256_add_epi32(a, b); }
  static Vector subtract(Vector a, Vector b) { return _mm256_sub_epi32(a, b); }
  static Vector iota() { return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7); }
  template <int kBitCount>
  static Vector shift_left(Vector v) {
    return _mm256_slli_epi32(v, kBitCount);
  }
  /// The first n lanes of v, and the other lanes from another vector.
  static Vector some(Vector v, std::size_t n, Vector others) {
    return _mm256_blendv_epi8(others, v, first(n));
  }
  static Vector signs(Vector v) { return _mm256_srai_epi32(v, 31); }

  static void order(Vector& a, Vector& b) {
    const Vector smaller = _mm256_min_epi32(a, b);
    b = _mm256_max_epi32(a, b);
    a = smaller;
  }
  template <unsigned kBitsOfLane>
  static Vector flip_lanes(Vector v) {
    constexpr auto word = [](int lane) {
      return -static_cast<int>(odd_lanes<kCount>(kBitsOfLane) >> lane & 1);
    };
    return bit_xor(v, _mm256_setr_epi32(word(0), word(1), word(2), word(3), word(4), word(5),
                                        word(6), word(7)));
  }
  template <int kBit>
  static void exchange(Vector& a, Vector& b) {
    const Vector before = a;
    if constexpr (kBit == 0) {
      a = _mm256_blend_epi32(a, _mm256_slli_epi64(b, 32), 0xAA);
      b = _mm256_blend_epi32(b, _mm256_srli_epi64(before, 32), 0x55);
    } else if constexpr (kBit == 1) {
      a = _mm256_unpacklo_epi64(a, b);
      b = _mm256_unpackhi_epi64(before, b);
    } else {
      a = _mm256_permute2x128_si256(a, b, 0x20);
      b = _mm256_permute2x128_si256(before, b, 0x31);
    }
  }

  static unsigned greater(Vector a, Vector b) { return lanes_of(_mm256_cmpgt_epi32(a, b)); }
  static unsigned equal(Vector a, Vector b) { return lanes_of(_mm256_cmpeq_epi32(a, b)); }
  static unsigned lanes_of(Vector mask) {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
  }
};

template <>
struct Lanes<std::int64_t> : AnyLanes<std::int64_t> {
  static constexpr int kBits = 2;

  static Vector broadcast(Key key) { return _mm256_set1_epi64x(key); }
  static Vector load_some(const Key* from, std::size_t n, Vector others) {
    const Vector mask = first(n);
    const auto* const words = reinterpret_cast<const long long*>(from);
    return _mm256_blendv_epi8(others, _mm256_maskload_epi64(words, mask), mask);
  }
  static void store_some(Key* to, Vector v, std::size_t n) {
    _mm256_maskstore_epi64(reinterpret_cast<long long*>(to), first(n), v);
  }
  static Vector subtract(Vector a, Vector b) { return _mm256_sub_epi64(a, b); }
  static Vector shift_right(Vector v, int bits) {
    return _mm256_srl_epi64(v, _mm_cvtsi32_si128(bits));
  }
  /// The keys from[places[0] & mask], from[places[1] & mask], ..; a gather is slower on many CPUs.
  static Vector gather(const Key* from, const std::int32_t* places, std::int32_t mask) {
    return _mm256_setr_epi64x(from[places[0] & mask], from[places[1] & mask],
                              from[places[2] & mask], from[places[3] & mask]);
  }
  /// The lower halves of the lanes of two vectors.
  static Vector lower_words(Vector a, Vector b) {
    const __m256 pairs = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(pairs), 0xD8);
  }
  static Vector signs(Vector v) { return _mm256_cmpgt_epi64(_mm256_setzero_si256(), v); }

  /// By xor: a blend by a mask is three micro-operations on recent Intel cores.
  static void order(Vector& a, Vector& b) {
    const Vector change = bit_and(bit_xor(a, b), _mm256_cmpgt_epi64(a, b));
    a = bit_xor(a, change);
    b = bit_xor(b, change);
  }
  template <unsigned kBitsOfLane>
  static Vector flip_lanes(Vector v) {
    constexpr auto word = [](int lane) {
      return -static_cast<int>(odd_lanes<kCount>(kBitsOfLane) >> lane & 1);
    };
    return bit_xor(v, _mm256_setr_epi64x(word(0), word(1), word(2), word(3)));
  }
  template <int kBit>
  static void exchange(Vector& a, Vector& b) {
    const Vector before = a;
    if constexpr (kBit == 0) {
      a = _mm256_unpacklo_epi64(a, b);
      b = _mm256_unpackhi_epi64(before, b);
    } else {
      a = _mm256_permute2x128_si256(a, b, 0x20);
      b = _mm256_permute2x128_si256(before, b, 0x31);
    }
  }

  static unsigned greater(Vector a, Vector b) { return lanes_of(_mm256_cmpgt_epi64(a, b)); }
  static unsigned equal(Vector a, Vector b) { return lanes_of(_mm256_cmpeq_epi64(a, b)); }
  static unsigned lanes_of(Vector mask) {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(mask)));
  }
};

}  // namespace sortlab::cpu::primitives::simd::avx2
SORTLAB_AVX2_END
#endif
