// What a thread of radix/pairs works with: for the partition, and for leaves of pairs
// (pair_leaf.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <utility>

#include "common/contract/isa.hpp"
#include "common/contract/isa_region.hpp"
#include "cpu/primitives/heap_sort.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/quick/simd_state.hpp"
#include "cpu/radix/classifier.hpp"
#include "cpu/radix/counting.hpp"
#include "cpu/radix/leaf.hpp"
#include "cpu/radix/pair_lines.hpp"

namespace sortlab::radix {

// The pairs of a leaf fit the second-level caches of today's servers (1 and 2 MiB).
inline constexpr std::size_t kPairLeafItems = std::size_t{96} << 10;

// A leaf's digit: a cache line for each of its values fits a first-level cache, or nearly.
inline constexpr int kPairDigitBits = 10;

inline constexpr int kUnknownWidth = -1;

// Larger pieces are sorted digit by digit.
inline constexpr std::size_t kMostNumbered = 4096;

// So many sorted pairs are gathered before they leave: of a hundred lines two are not whole.
inline constexpr std::size_t kLeastStaged = 1024;

template <class Items>
struct PairLeafMemory {
  // A leaf's pieces one behind the other, or each with room for a block of 256 and a line more.
  static constexpr std::size_t kSlack = 16;  // vectors may be read and written whole
  static constexpr std::size_t kPairs =
      std::max(kPairLeafItems, std::size_t{264} << kPairDigitBits);

  alignas(kLineBytes) std::byte bytes[kPairs * PackedPairs<Items>::kBytes];
  std::uint32_t begin[std::size_t{1} << kPairDigitBits];  // of the pieces
  std::uint32_t end[std::size_t{1} << kPairDigitBits];
  bool even;  // pieces have been of about the same size up to now
  alignas(kLineBytes) std::int32_t order[kMostNumbered + kSlack];
  alignas(kLineBytes) std::int32_t other[kMostNumbered];
  alignas(kLineBytes) typename Items::Key keys[kLeastStaged + kMostNumbered + kSlack];
  alignas(kLineBytes) typename Items::Value values[kLeastStaged + kMostNumbered + kSlack];
  LeafCounts counts;  // to sort digit by digit

  PackedPairs<Items> pairs() { return PackedPairs<Items>(bytes); }

  /// Sorts n pairs by means of the memory of as many packed ones, `free` and what lies before them.
  void sort_by_digits(Items pairs, std::size_t n, PackedPairs<Items> free) {
    using Key = typename Items::Key;
    const auto behind_boundary = reinterpret_cast<std::uintptr_t>(free.bytes()) % alignof(Key);
    auto* const keys = reinterpret_cast<Key*>(free.bytes() - behind_boundary);
    const Items temp{keys, reinterpret_cast<typename Items::Value*>(keys + n)};
    Leaf<Items>(temp, counts).sort(pairs, pairs, n);
  }
};

/// What becomes of sorted bits.
struct LeafOutput {
  void (*restore)(void* bits, std::size_t n);  // makes keys of bits; null: they are keys
  bool stream;                                 // past the caches
};

/// Copies n pairs in the order of their places: the bits of order[i] that are in the mask.
template <class Items>
void unpack_one_by_one(PackedPairs<Items> pairs, const std::int32_t* order, std::uint32_t mask,
                       std::size_t n, typename Items::Key* keys, typename Items::Value* values) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto [key, value] = pairs[static_cast<std::uint32_t>(order[i]) & mask];
    keys[i] = key;
    values[i] = value;
  }
}

/// Memory that will be read next, and is brought near bit by bit.
struct Ahead {
  const std::byte* next = nullptr;
  const std::byte* end = nullptr;

  void fetch(std::size_t bytes) {
    const std::byte* const to = next + std::min<std::size_t>(bytes, end - next);
    for (; next < to; next += kLineBytes) _mm_prefetch(next, _MM_HINT_T1);
  }
};

}  // namespace sortlab::radix

SORTLAB_AVX512_BEGIN
namespace sortlab::radix::avx512 {
using namespace simd::avx512;
using quick::choose_splitters;
using quick::Splitters;

/// Sixteen pairs at a time where a pair is a word; up to 15 more than n are written then.
template <class Items>
void unpack(PackedPairs<Items> pairs, const std::int32_t* order, std::uint32_t mask, std::size_t n,
            typename Items::Key* keys, typename Items::Value* values) {
  if constexpr (PackedPairs<Items>::kBytes != sizeof(std::uint64_t)) {
    unpack_one_by_one(pairs, order, mask, n, keys, values);
  } else {
    const __m512i even =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
    const __m256i masks = _mm256_set1_epi32(static_cast<int>(mask));
    const auto eight_of = [&](const std::int32_t* from) {
      const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
      return _mm512_i32gather_epi64(_mm256_and_si256(eight, masks), pairs.bytes(), 8);
    };
    for (std::size_t i = 0; i < n; i += 16) {
      const __m512i a = eight_of(order + i), b = eight_of(order + i + 8);
      _mm512_storeu_si512(keys + i, _mm512_permutex2var_epi32(a, even, b));
      _mm512_storeu_si512(values + i, _mm512_permutex2var_epi32(a, odd, b));
    }
  }
}

#include "cpu/quick/simd_cache_sort.hpp"
#include "cpu/radix/pair_leaf.hpp"
}  // namespace sortlab::radix::avx512
SORTLAB_AVX512_END

SORTLAB_AVX2_BEGIN
namespace sortlab::radix::avx2 {
using namespace simd::avx2;
using quick::choose_splitters;
using quick::Splitters;

template <class Items>
void unpack(PackedPairs<Items> pairs, const std::int32_t* order, std::uint32_t mask, std::size_t n,
            typename Items::Key* keys, typename Items::Value* values) {
  unpack_one_by_one(pairs, order, mask, n, keys, values);
}

#include "cpu/quick/simd_cache_sort.hpp"
#include "cpu/radix/pair_leaf.hpp"
}  // namespace sortlab::radix::avx2
SORTLAB_AVX2_END

namespace sortlab::radix {

/// What one thread works with.
template <class ItemsT>
struct alignas(kLineBytes) PairState : CountState<typename ItemsT::Key> {
  using Items = ItemsT;

  PairLines<Items, kMaxBuckets> buckets;
  PairLeafMemory<Items> leaf;

  /// Room for kMaxSample keys, between leaves.
  typename Items::Key* sample() { return leaf.keys; }

  /// Sorts n pairs of `from` whose keys differ in their `width` low bits at most; kUnknownWidth:
  /// nobody has looked.
  template <class From>
  void sort_leaf(From from, Items to, std::size_t n, int width, Isa isa, const LeafOutput& output,
                 const Ahead& ahead) {
    switch (isa) {
      case Isa::avx512:
        return avx512::PairLeaf<Items>::sort(from, to, n, width, leaf, output, ahead);
      case Isa::avx2:
        return avx2::PairLeaf<Items>::sort(from, to, n, width, leaf, output, ahead);
      case Isa::scalar:
        break;
    }
    for (std::size_t i = 0; i < n; ++i) to.put(i, from[i]);
    leaf.sort_by_digits(to, n, leaf.pairs());
    if (output.restore != nullptr) output.restore(to.keys, n);
  }

  /// Copies n pairs of `from` to `to`, as bits, and returns those in which keys differ from
  /// `some_key`.
  typename Items::Key copy(PackedPairs<Items> from, Items to, std::size_t n,
                           typename Items::Key some_key, Isa isa, bool stream) {
    const LeafOutput output{nullptr, stream};
    switch (isa) {
      case Isa::avx512:
        return avx512::PairLeaf<Items>::copy(from, to, n, some_key, leaf, output);
      case Isa::avx2:
        return avx2::PairLeaf<Items>::copy(from, to, n, some_key, leaf, output);
      case Isa::scalar:
        break;
    }
    typename Items::Key differing = 0;
    for (std::size_t i = 0; i < n; ++i) {
      to.put(i, from[i]);
      differing |= from.key(i) ^ some_key;
    }
    return differing;
  }
};

}  // namespace sortlab::radix
