// A block's merge sort in shared memory, for items that crowd into few of the bins of small_block:
// a thread sorts 8 items or 16 in registers, then runs are merged two and two. Neighbours that are in
// order as they stand are not merged, and equal keys are.
//
// Items are ordered by key, then by value: for pairs the value is the place in the input.
#pragma once

#include <algorithm>
#include <bit>

#include "gpu/primitives/thread/merge_path.cuh"

namespace sortlab::gpu::radix::small {

template <class Bits, class Place>
__device__ __forceinline__ bool is_before(const Item<Bits, Place>& a, const Item<Bits, Place>& b) {
  if constexpr (Items<Bits, Place>::kPairs) {
    return a.key < b.key || (a.key == b.key && a.value < b.value);
  } else {
    return a.key < b.key;
  }
}

/// Whether the two runs are in order as they stand, or there is only one.
template <class ItemsT>
__device__ __forceinline__ bool is_merged(ItemsT items, RunPair<unsigned> runs) {
  return runs.middle == runs.end || !is_before(items[runs.middle], items[runs.middle - 1]);
}

/// Merges up to kSteps outputs of two runs, from the output `diagonal` on, and calls put(e, item)
/// for each.
template <unsigned kSteps, class ItemsT, class Put>
__device__ __forceinline__ void merge_items(ItemsT items, RunPair<unsigned> runs, unsigned diagonal,
                                            unsigned steps, Put put) {
  const unsigned left_count = runs.middle - runs.begin;
  const unsigned right_count = runs.end - runs.middle;
  unsigned low = diagonal > right_count ? diagonal - right_count : 0;
  unsigned high = min(diagonal, left_count);
  while (low < high) {
    const unsigned i = (low + high) / 2;
    if (is_before(items[runs.middle + diagonal - 1 - i], items[runs.begin + i])) {
      high = i;
    } else {
      low = i + 1;
    }
  }
  unsigned a = runs.begin + low;
  unsigned b = runs.middle + diagonal - low;
#pragma unroll
  for (unsigned e = 0; e < kSteps; ++e) {
    if (e >= steps) continue;
    const auto left = items[min(a, runs.end - 1)];
    const auto right = items[min(b, runs.end - 1)];
    const bool takes_left = b == runs.end || (a < runs.middle && !is_before(right, left));
    put(e, takes_left ? left : right);
    a += takes_left;
    b += !takes_left;
  }
}

/// Sorts the items [first, end), at most kShortRun of them, by insertion from register to register.
template <unsigned kShortRun, class ItemsT>
__device__ __forceinline__ void sort_short_run(ItemsT items, unsigned first, unsigned end) {
  decltype(items[0]) item[kShortRun];
#pragma unroll
  for (unsigned e = 0; e < kShortRun; ++e) item[e] = items[min(first + e, end - 1)];
    // Odd-even transposition; what lies behind the end equals the last item until it is left behind.
#pragma unroll
  for (unsigned round = 0; round < kShortRun; ++round) {
#pragma unroll
    for (unsigned e = round % 2; e + 1 < kShortRun; e += 2) {
      if (first + e + 1 < end && is_before(item[e + 1], item[e])) {
        const auto held = item[e];
        item[e] = item[e + 1];
        item[e + 1] = held;
      }
    }
  }
#pragma unroll
  for (unsigned e = 0; e < kShortRun; ++e) {
    if (first + e < end) items.put(first + e, item[e]);
  }
}

/// Sorts the first `count` of the block's items, at most kCapacity; begins and ends with a barrier.
template <unsigned kThreads, unsigned kCapacity, class ItemsT>
__device__ __noinline__ void block_merge_sort(ItemsT items, unsigned count) {
  constexpr unsigned kShare = std::bit_ceil(kCapacity / kThreads);
  constexpr unsigned kShortRun = std::max(8u, kShare / 2);  // a share lies in one pair of runs
  __syncthreads();
  for (unsigned first = threadIdx.x * kShortRun; first < count; first += kThreads * kShortRun) {
    sort_short_run<kShortRun>(items, first, min(first + kShortRun, count));
  }
  __syncthreads();
  const unsigned at = threadIdx.x * kShare;
  const unsigned steps = at < count ? min(kShare, count - at) : 0;
  for (unsigned width = kShortRun; width < count; width *= 2) {
    const auto runs = run_pair_at(min(at, count - 1), width, count);
    const bool moves = steps > 0 && !is_merged(items, runs);
    decltype(items[0]) merged[kShare];
    if (moves) {
      merge_items<kShare>(items, runs, at - runs.begin, steps,
                          [&](unsigned e, auto item) { merged[e] = item; });
    }
    if (!__syncthreads_or(moves)) continue;
    if (moves) {
#pragma unroll
      for (unsigned e = 0; e < kShare; ++e) {
        if (e < steps) items.put(at + e, merged[e]);
      }
    }
    __syncthreads();
  }
}

}  // namespace sortlab::gpu::radix::small
