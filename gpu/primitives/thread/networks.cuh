// Sorting networks of one thread's registers, as lists of comparisons: each function calls
// compare(i, j), which puts items i < j in order, for the pairs of its network. Only the caller
// knows the items and their order. All numbers are constants after compilation.
//
// Batcher's odd-even merge has two orders here. By levels, all comparisons of a level are
// independent, but all items are in use at once. Run by run, few items are in use, so that 16 and
// more items fit into the registers.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <utility>

namespace sortlab::gpu {

/// Puts two numbers in order: a minimum and a maximum.
template <class Bits>
__device__ __forceinline__ void order(Bits& a, Bits& b) {
  const Bits smaller = a < b ? a : b;
  b = a < b ? b : a;
  a = smaller;
}

/// Sorts kCount items that first rise and then fall, or any rotation of such a sequence, if
/// kFirstDistance is half of kCount; parts of 2 * kFirstDistance items if it is less.
template <unsigned kCount, unsigned kFirstDistance, class Compare>
__device__ __forceinline__ void merge_bitonic(Compare compare) {
#pragma unroll
  for (unsigned distance = kFirstDistance; distance > 0; distance /= 2) {
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) {
      if ((i & distance) == 0) compare(i, i + distance);
    }
  }
}

/// The first step of a bitonic merge of two rising halves, in each kRun neighbours: each item is compared
/// with its mirror image. Afterwards both halves are bitonic, and no item of the lower half is greater than
/// one of the upper (Knuth, section 5.3.4).
template <unsigned kCount, unsigned kRun, class Compare>
__device__ __forceinline__ void fold_runs(Compare compare) {
#pragma unroll
  for (unsigned i = 0; i < kCount; ++i) {
    const unsigned mirror = i ^ (kRun - 1);
    if (i < mirror) compare(i, mirror);
  }
}

/// Sorts each kRun neighbours of kCount items: Batcher's bitonic sort, all runs rising.
template <unsigned kCount, unsigned kRun, class Compare>
__device__ __forceinline__ void sort_bitonic(Compare compare) {
  if constexpr (kRun > 1) {
    sort_bitonic<kCount, kRun / 2>(compare);
    fold_runs<kCount, kRun>(compare);
    merge_bitonic<kCount, kRun / 4>(compare);
  }
}

// ---- Batcher's odd-even merge sort, run by run: 63 comparisons for 16 items, 191 for 32 ----

/// Merges every kStride-th item of the kCount from kFirst on, whose halves are sorted.
template <unsigned kFirst, unsigned kCount, unsigned kStride, class Compare>
__device__ __forceinline__ void merge_odd_even(Compare compare) {
  if constexpr (2 * kStride < kCount) {
    merge_odd_even<kFirst, kCount, 2 * kStride>(compare);
    merge_odd_even<kFirst + kStride, kCount, 2 * kStride>(compare);
#pragma unroll
    for (unsigned i = kFirst + kStride; i + kStride < kFirst + kCount; i += 2 * kStride) {
      compare(i, i + kStride);
    }
  } else {
    compare(kFirst, kFirst + kStride);
  }
}

/// Sorts the kCount items from kFirst on.
template <unsigned kFirst, unsigned kCount, class Compare>
__device__ __forceinline__ void sort_odd_even(Compare compare) {
  if constexpr (kCount > 1) {
    sort_odd_even<kFirst, kCount / 2>(compare);
    sort_odd_even<kFirst + kCount / 2, kCount / 2>(compare);
    merge_odd_even<kFirst, kCount, 1>(compare);
  }
}

// ---- The same by levels: 19 comparisons for 8 items (Knuth, section 5.3.4) ----

/// A level of the merge of runs of kRun items, at distance kDistance, and the levels after it.
template <unsigned kCount, unsigned kRun, unsigned kDistance, class Compare>
__device__ __forceinline__ void merge_levels(Compare compare) {
  constexpr unsigned kFirst = kDistance % kRun;
#pragma unroll
  for (unsigned low = kFirst; low + kDistance < kCount; ++low) {
    const bool is_lower = (low - kFirst) / kDistance % 2 == 0;
    const bool same_merge = low / (2 * kRun) == (low + kDistance) / (2 * kRun);
    if (is_lower && same_merge) compare(low, low + kDistance);
  }
  if constexpr (kDistance > 1) merge_levels<kCount, kRun, kDistance / 2>(compare);
}

/// Sorts kCount items that consist of sorted runs of kRun.
template <unsigned kCount, unsigned kRun, class Compare>
__device__ __forceinline__ void sort_by_levels(Compare compare) {
  merge_levels<kCount, kRun, kRun>(compare);
  if constexpr (2 * kRun < kCount) sort_by_levels<kCount, 2 * kRun>(compare);
}

// ---- Batcher's merge exchange, for any number of items (Knuth, section 5.2.2, algorithm M) ----

template <unsigned N>
struct MergeExchange {
  struct Pair {
    unsigned low;
    unsigned high;
  };
  static constexpr unsigned kTop = std::bit_ceil(N) / 2;

  template <class Use>
  static constexpr void for_each(Use use) {
    for (unsigned p = kTop; p > 0; p /= 2) {
      unsigned r = 0;
      unsigned d = p;
      for (unsigned q = kTop;; q /= 2) {
        for (unsigned i = 0; i + d < N; ++i) {
          if ((i & p) == r) use(Pair{i, i + d});
        }
        if (q == p) break;
        d = q - p;
        r = p;
      }
    }
  }
  static constexpr unsigned count() {
    unsigned pairs = 0;
    for_each([&](Pair) { ++pairs; });
    return pairs;
  }
  static constexpr auto pairs() {
    std::array<Pair, count()> all{};
    unsigned i = 0;
    for_each([&](Pair pair) { all[i++] = pair; });
    return all;
  }
};

/// Sorts N items.
template <unsigned N, class Compare>
__device__ __forceinline__ void sort_by_exchanges(Compare compare) {
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    constexpr auto kPairs = MergeExchange<N>::pairs();
    (compare(kPairs[i].low, kPairs[i].high), ...);
  }
  (std::make_index_sequence<MergeExchange<N>::count()>{});
}

}  // namespace sortlab::gpu
