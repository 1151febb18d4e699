// A vector of items in AVX2 registers and the compare-and-swaps between and inside such vectors.
//
// Only bitonic/parallel uses it, a rung for learning: it has one instruction set, and values move
// with their keys. The lanes of the fast rungs (cpu/primitives/simd) serve three instruction sets
// and hold keys alone. Merging the two files would change the machine code of this rung.
//
// Everything here is AVX2 code, so only a run-time choice may call it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/contract/isa_region.hpp"
#include "common/contract/items.hpp"
#include "cpu/primitives/simd/intrinsics.hpp"

#ifdef SORTLAB_X86
SORTLAB_AVX2_BEGIN
namespace sortlab::cpu::bitonic::avx2 {

inline __m256i load256(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
inline void store256(void* to, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }

/// The operations of a network on eight lanes of 32 bits, or four of 64. The lane at distance
/// kDistance is the one whose index differs in that bit; `upper` takes the lanes with that bit set
/// from `high`.
template <class Key>
struct Lanes;

template <>
struct Lanes<std::int32_t> {
  static constexpr std::size_t kCount = 8;
  using Values = __m256i;

  static __m256i greater(__m256i a, __m256i b) { return _mm256_cmpgt_epi32(a, b); }
  static __m256i min(__m256i a, __m256i b) { return _mm256_min_epi32(a, b); }
  static __m256i max(__m256i a, __m256i b) { return _mm256_max_epi32(a, b); }
  static __m256i reverse(__m256i v) {
    return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
  }
  template <int kDistance>
  static __m256i partner(__m256i v) {
    if constexpr (kDistance == 4) return _mm256_permute2x128_si256(v, v, 0x01);
    if constexpr (kDistance == 2) return _mm256_shuffle_epi32(v, 0x4E);
    if constexpr (kDistance == 1) return _mm256_shuffle_epi32(v, 0xB1);
  }
  template <int kDistance>
  static __m256i upper(__m256i low, __m256i high) {
    return _mm256_blend_epi32(low, high, kDistance == 4 ? 0xF0 : kDistance == 2 ? 0xCC : 0xAA);
  }

  static Values load_values(const std::uint32_t* from) { return load256(from); }
  static void store_values(std::uint32_t* to, Values v) { store256(to, v); }
  static Values select_values(__m256i mask, Values no, Values yes) {
    return _mm256_blendv_epi8(no, yes, mask);
  }
  static Values reverse_values(Values v) { return reverse(v); }
  template <int kDistance>
  static Values partner_values(Values v) {
    return partner<kDistance>(v);
  }
};

template <>
struct Lanes<std::int64_t> {
  static constexpr std::size_t kCount = 4;
  using Values = __m128i;

  static __m256i greater(__m256i a, __m256i b) { return _mm256_cmpgt_epi64(a, b); }
  static __m256i min(__m256i a, __m256i b) { return _mm256_blendv_epi8(a, b, greater(a, b)); }
  static __m256i max(__m256i a, __m256i b) { return _mm256_blendv_epi8(b, a, greater(a, b)); }
  static __m256i reverse(__m256i v) { return _mm256_permute4x64_epi64(v, 0x1B); }
  template <int kDistance>
  static __m256i partner(__m256i v) {
    if constexpr (kDistance == 2) return _mm256_permute2x128_si256(v, v, 0x01);
    if constexpr (kDistance == 1) return _mm256_shuffle_epi32(v, 0x4E);
  }
  template <int kDistance>
  static __m256i upper(__m256i low, __m256i high) {
    return _mm256_blend_epi32(low, high, kDistance == 2 ? 0xF0 : 0xCC);
  }

  static Values load_values(const std::uint32_t* from) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
  }
  static void store_values(std::uint32_t* to, Values v) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v);
  }
  static Values select_values(__m256i mask, Values no, Values yes) {
    const __m256i even = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);  // one half of each wide lane
    const __m256i narrow = _mm256_permutevar8x32_epi32(mask, even);
    return _mm_blendv_epi8(no, yes, _mm256_castsi256_si128(narrow));
  }
  static Values reverse_values(Values v) { return _mm_shuffle_epi32(v, 0x1B); }
  template <int kDistance>
  static Values partner_values(Values v) {
    return _mm_shuffle_epi32(v, kDistance == 2 ? 0x4E : 0xB1);
  }
};

/// kCount consecutive keys, with their values if they have any.
template <class Key, class Value>
struct Vector {
  using L = Lanes<Key>;
  __m256i keys;
  typename L::Values values;

  static Vector load(const Items<Key, Value>& a, std::size_t at) {
    return {load256(a.keys + at), L::load_values(a.values + at)};
  }
  void store(const Items<Key, Value>& a, std::size_t at) const {
    store256(a.keys + at, keys);
    L::store_values(a.values + at, values);
  }
  Vector reversed() const { return {L::reverse(keys), L::reverse_values(values)}; }

  /// For each lane, moves the smaller item to a and the greater to b. Equal items stay, so no value
  /// is lost.
  static void order(Vector& a, Vector& b) {
    const __m256i swap = L::greater(a.keys, b.keys);
    const auto values_a = a.values;
    const __m256i keys_a = a.keys;
    a.keys = L::min(keys_a, b.keys);
    b.keys = L::max(keys_a, b.keys);
    a.values = L::select_values(swap, values_a, b.values);
    b.values = L::select_values(swap, b.values, values_a);
  }
  /// Orders the lanes that are kDistance apart. Both lanes of a pair see the same strict
  /// comparison.
  template <int kDistance>
  void order_inside() {
    const __m256i other = L::template partner<kDistance>(keys);
    const __m256i swap =
        L::template upper<kDistance>(L::greater(keys, other), L::greater(other, keys));
    keys = _mm256_blendv_epi8(keys, other, swap);
    values = L::select_values(swap, values, L::template partner_values<kDistance>(values));
  }
};

template <class Key>
struct Vector<Key, NoValue> {
  using L = Lanes<Key>;
  __m256i keys;

  static Vector load(const Items<Key, NoValue>& a, std::size_t at) {
    return {load256(a.keys + at)};
  }
  void store(const Items<Key, NoValue>& a, std::size_t at) const { store256(a.keys + at, keys); }
  Vector reversed() const { return {L::reverse(keys)}; }

  static void order(Vector& a, Vector& b) {
    const __m256i keys_a = a.keys;
    a.keys = L::min(keys_a, b.keys);
    b.keys = L::max(keys_a, b.keys);
  }
  template <int kDistance>
  void order_inside() {
    const __m256i other = L::template partner<kDistance>(keys);
    keys = L::template upper<kDistance>(L::min(keys, other), L::max(keys, other));
  }
};

}  // namespace sortlab::cpu::bitonic::avx2
SORTLAB_AVX2_END
#endif
