// MergeLanes: Lanes with the steps of a bitonic merge, for each instruction set.
//
// The last steps of a bitonic network interleave two vectors, beside the exchanges of lanes. A bitonic
// sequence of kCount keys in each of two vectors is sorted by log2(kCount) steps, each of which exchanges
// a bit of the lane with the vector and compares both vectors, highest bit first. Then key 2 i + b of the
// first sequence lies in lane i of vector b, and the second sequence in the upper lanes likewise. So both
// are put back by interleaving:
//
//   x | 0 2 4 6 | 0 2 4 6 |      ->   first  | 0 1 2 3 4 5 6 7 |
//   y | 1 3 5 7 | 1 3 5 7 |           second | 0 1 2 3 4 5 6 7 |
#pragma once

#include "cpu/primitives/simd/lanes.hpp"

#ifdef SORTLAB_X86
SORTLAB_AVX512_BEGIN
namespace sortlab::cpu::primitives::simd::avx512 {

template <class Key>
struct MergeLanes;

template <>
struct MergeLanes<std::int32_t> : Lanes<std::int32_t> {
  static Vector reverse(Vector v) {
    return _mm512_permutexvar_epi32(
        _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0), v);
  }
  static void interleave(Vector& x, Vector& y) {
    const Vector before = x;
    x = first(x, y);
    y = _mm512_permutex2var_epi32(
        before, _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), y);
  }
  /// The same, with the second sequence in reverse.
  static void interleave_mirrored(Vector& x, Vector& y) {
    const Vector before = x;
    x = first(x, y);
    y = _mm512_permutex2var_epi32(
        before, _mm512_setr_epi32(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24, 8), y);
  }

 private:
  static Vector first(Vector x, Vector y) {
    return _mm512_permutex2var_epi32(
        x, _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), y);
  }
};

template <>
struct MergeLanes<std::int64_t> : Lanes<std::int64_t> {
  static Vector reverse(Vector v) {
    return _mm512_permutexvar_epi64(_mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0), v);
  }
  static void interleave(Vector& x, Vector& y) {
    const Vector before = x;
    x = first(x, y);
    y = _mm512_permutex2var_epi64(before, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), y);
  }
  static void interleave_mirrored(Vector& x, Vector& y) {
    const Vector before = x;
    x = first(x, y);
    y = _mm512_permutex2var_epi64(before, _mm512_setr_epi64(15, 7, 14, 6, 13, 5, 12, 4), y);
  }

 private:
  static Vector first(Vector x, Vector y) {
    return _mm512_permutex2var_epi64(x, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), y);
  }
};

}  // namespace sortlab::cpu::primitives::simd::avx512
SORTLAB_AVX512_END

SORTLAB_AVX2_BEGIN
namespace sortlab::cpu::primitives::simd::avx2 {

template <class Key>
struct MergeLanes;

template <>
struct MergeLanes<std::int32_t> : Lanes<std::int32_t> {
  static Vector reverse(Vector v) {
    return _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
  }
  static void interleave(Vector& x, Vector& y) {
    const Vector even = _mm256_unpacklo_epi32(x, y), odd = _mm256_unpackhi_epi32(x, y);
    x = _mm256_permute2x128_si256(even, odd, 0x20);
    y = _mm256_permute2x128_si256(even, odd, 0x31);
  }
  /// The same, with the second sequence in reverse.
  static void interleave_mirrored(Vector& x, Vector& y) {
    const Vector even = _mm256_unpacklo_epi32(x, y), odd = _mm256_unpackhi_epi32(x, y);
    x = _mm256_permute2x128_si256(even, odd, 0x20);
    y = _mm256_shuffle_epi32(_mm256_permute2x128_si256(odd, even, 0x31), 0x1B);
  }
};

template <>
struct MergeLanes<std::int64_t> : Lanes<std::int64_t> {
  static Vector reverse(Vector v) { return _mm256_permute4x64_epi64(v, 0x1B); }
  static void interleave(Vector& x, Vector& y) {
    const Vector even = _mm256_unpacklo_epi64(x, y), odd = _mm256_unpackhi_epi64(x, y);
    x = _mm256_permute2x128_si256(even, odd, 0x20);
    y = _mm256_permute2x128_si256(even, odd, 0x31);
  }
  static void interleave_mirrored(Vector& x, Vector& y) {
    const Vector even = _mm256_unpacklo_epi64(x, y), odd = _mm256_unpackhi_epi64(x, y);
    x = _mm256_permute2x128_si256(even, odd, 0x20);
    y = _mm256_shuffle_epi32(_mm256_permute2x128_si256(odd, even, 0x31), 0x4E);
  }
};

}  // namespace sortlab::cpu::primitives::simd::avx2
SORTLAB_AVX2_END
#endif

#ifdef SORTLAB_ARM
namespace sortlab::cpu::primitives::simd::neon {

template <class Key>
struct MergeLanes;

template <>
struct MergeLanes<std::int32_t> : Lanes<std::int32_t> {
  static Vector reverse(Vector v) {
    const Vector pairs = vrev64q_s32(v);
    return vextq_s32(pairs, pairs, 2);
  }
  static void interleave(Vector& x, Vector& y) {
    const Vector before = x;
    x = vzip1q_s32(x, y);
    y = vzip2q_s32(before, y);
  }
  static void interleave_mirrored(Vector& x, Vector& y) {
    interleave(x, y);
    y = reverse(y);
  }
};

template <>
struct MergeLanes<std::int64_t> : Lanes<std::int64_t> {
  static Vector reverse(Vector v) { return vextq_s64(v, v, 1); }
  static void interleave(Vector& x, Vector& y) { exchange<0>(x, y); }
  static void interleave_mirrored(Vector& x, Vector& y) {
    interleave(x, y);
    y = reverse(y);
  }
};

}  // namespace sortlab::cpu::primitives::simd::neon
#endif

namespace sortlab::cpu::primitives::simd::scalar {

/// With one key per vector there is nothing to interleave.
template <class KeyT>
struct MergeLanes : Lanes<KeyT> {
  using Vector = KeyT;
  static Vector reverse(Vector v) { return v; }
  static void interleave(Vector&, Vector&) {}
  static void interleave_mirrored(Vector&, Vector&) {}
};

}  // namespace sortlab::cpu::primitives::simd::scalar
