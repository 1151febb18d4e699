// Three-way partition of signed integers, in place, with AVX2.
//
// A vector of keys is compared with the pivot. The result selects a permutation that moves the keys
// of the left (or right) side together. Keys equal to the pivot are not moved at all: the gap that
// they leave is filled with the pivot at the end.
//
// Everything here is AVX2 code, so only a run-time choice may call it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "common/contract/isa_region.hpp"
#include "cpu/primitives/simd/intrinsics.hpp"
#include "cpu/quick/flag_partition.hpp"

namespace sortlab::cpu::quick {

/// For each set of lanes: those lanes first, then the others, both in order; as 32-bit indices of a
/// vector of kLanes lanes.
template <std::size_t kLanes>
constexpr auto make_compress_table() {
  constexpr std::size_t kWords = 8 / kLanes;  // 32-bit words of a lane
  std::array<std::array<std::uint8_t, 8>, (std::size_t{1} << kLanes)> table{};
  for (std::size_t set = 0; set < table.size(); ++set) {
    std::size_t out = 0;
    for (const bool wanted : {true, false}) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (((set >> lane & 1) != 0) != wanted) continue;
        for (std::size_t word = 0; word < kWords; ++word) {
          table[set][out++] = static_cast<std::uint8_t>(lane * kWords + word);
        }
      }
    }
  }
  return table;
}
template <std::size_t kLanes>
alignas(64) inline constexpr auto kCompress = make_compress_table<kLanes>();

}  // namespace sortlab::cpu::quick

#ifdef SORTLAB_X86
SORTLAB_AVX2_BEGIN
namespace sortlab::cpu::quick::avx2 {

template <class Key>
inline constexpr std::size_t kLanes = sizeof(__m256i) / sizeof(Key);

/// Vectors read at a time from one side, so that there are few choices of the side to mispredict.
inline constexpr std::size_t kStride = 4;
template <class Key>
inline constexpr std::size_t kStrideKeys = kStride* kLanes<Key>;

/// How far ahead of the reads to prefetch.
inline constexpr std::size_t kPrefetchBytes = 1024;

inline __m256i load(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
inline void store(void* to, __m256i v) { _mm256_storeu_si256(static_cast<__m256i*>(to), v); }

template <class Key>
__m256i broadcast(Key key) {
  if constexpr (sizeof(Key) == 4) return _mm256_set1_epi32(key);
  if constexpr (sizeof(Key) == 8) return _mm256_set1_epi64x(key);
}

/// The set of lanes in which a > b.
template <class Key>
unsigned greater(__m256i a, __m256i b) {
  if constexpr (sizeof(Key) == 4) {
    const __m256i mask = _mm256_cmpgt_epi32(a, b);
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(mask)));
  } else {
    const __m256i mask = _mm256_cmpgt_epi64(a, b);
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_castsi256_pd(mask)));
  }
}

/// The lanes of `set` first, then the others.
template <class Key>
__m256i compress(__m256i v, unsigned set) {
  const auto* const entry = kCompress<kLanes<Key>>[set].data();
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(entry));
  return _mm256_permutevar8x32_epi32(v, _mm256_cvtepu8_epi32(bytes));
}

/// The ends of the two finished sides, and the writes to them.
template <class Key>
struct Sides {
  Key* left;   // end of the keys below the pivot
  Key* right;  // beginning of the keys above it
  Key pivot;

  /// Writes a whole vector to each side and counts only the lanes that belong there. The other
  /// lanes go to the free space, which must hold a vector on each side.
  void put(__m256i v, __m256i pivots) {
    constexpr unsigned kAll = (1u << kLanes<Key>)-1;
    const unsigned below = greater<Key>(pivots, v), above = greater<Key>(v, pivots);
    store(left, compress<Key>(v, below));
    store(right - kLanes<Key>, compress<Key>(v, ~above & kAll));
    left += _mm_popcnt_u32(below);
    right -= _mm_popcnt_u32(above);
  }
  void put(Key key) {
    if (key < pivot) *left++ = key;
    if (key > pivot) *--right = key;
  }
};

/// The fewest keys for partition(): the two strides that it saves first.
template <class Key>
inline constexpr std::size_t kPartitionFrom = 2 * kStrideKeys<Key>;

//   lo                                                            hi
//   [ < pivot | free ... | not read yet        | ... free | > pivot ]
//              ^ left     ^ read        read_end ^          ^ right
//
// Saving a stride from each end makes two strides of free space. Each read takes keys from the end
// with less free space. So at least one stride stays free at both ends, as four writes need.
template <class Key>
EqualRange partition(Key* keys, std::size_t lo, std::size_t hi, Key pivot) {
  constexpr std::size_t kChunk = kStrideKeys<Key>;
  Key saved[3 * kChunk];  // both saved strides and, at the end, less than a stride
  std::copy_n(keys + lo, kChunk, saved);
  std::copy_n(keys + hi - kChunk, kChunk, saved + kChunk);

  const __m256i pivots = broadcast(pivot);
  Sides<Key> sides{keys + lo, keys + hi, pivot};
  const Key* read = keys + lo + kChunk;
  const Key* read_end = keys + hi - kChunk;
  while (static_cast<std::size_t>(read_end - read) >= kChunk) {
    const Key* from;
    if (read - sides.left <= sides.right - read_end) {
      from = read;
      read += kChunk;
      __builtin_prefetch(reinterpret_cast<const char*>(from) + kPrefetchBytes);
    } else {
      read_end -= kChunk;
      from = read_end;
      __builtin_prefetch(reinterpret_cast<const char*>(from) - kPrefetchBytes);
    }
    __m256i v[kStride];
  #pragma GCC unroll 4
    for (std::size_t i = 0; i < kStride; ++i) v[i] = load(from + i * kLanes<Key>);
  #pragma GCC unroll 4
    for (std::size_t i = 0; i < kStride; ++i) sides.put(v[i], pivots);
  }

  const std::size_t rest = static_cast<std::size_t>(read_end - read);
  std::copy_n(read, rest, saved + 2 * kChunk);
  for (std::size_t i = 0; i < 2 * kChunk + rest; ++i) sides.put(saved[i]);
  std::fill(sides.left, sides.right, pivot);
  return {static_cast<std::size_t>(sides.left - keys),
          static_cast<std::size_t>(sides.right - keys)};
}

}  // namespace sortlab::cpu::quick::avx2
SORTLAB_AVX2_END
#endif
