// A block sorts some thousand items that it holds in registers: spread them over as many bins as
// there are items (bins.cuh), then straighten what is left with networks of 8 items a thread
// (windows.cuh).
//
//   bins of equal width over [lowest, highest] key, about one item a bin
//     rank in the bin = returning shared atomic; place = prefix sum of the bins + rank
//   now every item is among those of its bin, and only those can be out of order
//
// A bin of up to kMostInBin keys takes more rounds of networks. A larger one is a crowd, and is spread
// again, over its own range (crowds.cuh).
//
// Pairs are sorted by key, then by the place that they had in the input: an order without ties, so
// that whatever sorts is stable. A place travels with its key, the value is fetched at the end.
#pragma once

#include "gpu/radix/small/repeats.cuh"
#include "gpu/radix/small/windows.cuh"

namespace sortlab::gpu::radix::small {

/// The lowest and the highest of the block's x, of the items i of each thread that are there.
template <unsigned kItems, class Shared, class IsThere, class XOf>
__device__ __forceinline__ void block_range(Shared& s, IsThere is_there, XOf x_of,
                                            typename Shared::Bits& lowest,
                                            typename Shared::Bits& highest) {
  using Bits = typename Shared::Bits;
  lowest = static_cast<Bits>(~Bits{0});
  highest = 0;
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (is_there(i)) {
      const Bits x = x_of(i);
      lowest = x < lowest ? x : lowest;
      highest = x > highest ? x : highest;
    }
  }
  lowest = warp_min(lowest);
  highest = warp_max(highest);
  if (lane_id() == 0) {
    s.warp_lowest[warp_id()] = lowest;
    s.warp_highest[warp_id()] = highest;
  }
  __syncthreads();
  range_of_warps(s, lowest, highest);
}

/// For block_sort(): all items are sorted.
struct NeverLeft {
  __device__ bool operator()() const { return false; }
};

/// Sorts `count` items into s.keys and s.places, and returns true. Number i * threads + t is thread t's, its key is
/// key_of(i), its place place_of(i); i is less than kItems. Begins and ends with a barrier. kByPlace:
/// items come in the order of their places. Items that crowd are not sorted if are_left() says so, the same to
/// all threads, when they lie in their bins: then it returns false.
template <unsigned kItems, bool kByPlace = false, class Shared, class KeyOf, class PlaceOf,
          class AreLeft = NeverLeft>
__device__ __forceinline__ bool block_sort(KeyOf key_of, unsigned count, PlaceOf place_of,
                                           Shared& s, AreLeft are_left = {}) {
  using Bits = typename Shared::Bits;
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr bool kPairs = Shared::kPairs;
  const auto is_there = [count](unsigned i) { return i * kThreads + threadIdx.x < count; };
  __syncthreads();
  const unsigned bins = empty_bins(count, s);

  // Bins over the range of the keys; over that of the places, if the keys are all the same.
  Bits lowest;
  Bits highest;
  block_range<kItems>(s, is_there, key_of, lowest, highest);
  const bool all_equal = lowest == highest;
  if (all_equal) {
    if constexpr (kPairs) {
      __syncthreads();
      block_range<kItems>(
          s, is_there, [&](unsigned i) { return Bits{place_of(i)}; }, lowest, highest);
    }
    if (lowest == highest) {  // keys alone, or a single pair
#pragma unroll
      for (unsigned i = 0; i < kItems; ++i) {
        if (is_there(i)) s.put(i * kThreads + threadIdx.x, key_of(i), place_of(i));
      }
      __syncthreads();
      return true;
    }
  }
  const BinMap<Bits> bin_map(lowest, highest, bins);
  unsigned bin[kItems];
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    bin[i] = kNowhere;
    if (!is_there(i)) continue;
    if constexpr (kPairs) {
      bin[i] = all_equal ? bin_map(Bits{place_of(i)}) : bin_map(key_of(i));
    } else {
      bin[i] = bin_map(key_of(i));
    }
  }
  const bool is_crowded = spread(key_of, place_of, bin, bins, count, s);
  if constexpr (Shared::kSpreadsCrowds) {
    if (is_crowded) {
      if (are_left()) return false;
      if constexpr (kPairs && kByPlace) {
        __syncthreads();
        if (spread_repeats(key_of, place_of, bin, bins, count, s)) {
          straighten(s, count);
          return true;
        }
      }
      sort_crowds(count, s);
      return true;
    }
  }
  straighten(s, count);
  return true;
}

}  // namespace sortlab::gpu::radix::small
