// A block sorts some thousand items that it holds in registers: spread them over as many bins as
// there are items (small_bins.cuh), then straighten what is left with networks of 8 items a thread
// (small_windows.cuh).
//
//   bins of equal width over [lowest, highest] key, about one item a bin
//     rank in the bin = returning shared atomic; place = prefix sum of the bins + rank
//   now every item is among those of its bin, and only those can be out of order
//
// Keys that crowd into few bins take more rounds of networks, and after kMaxRounds the block merges
// (small_merge.cuh). Crowds of pairs with equal keys are spread by their places (small_crowds.cuh).
//
// Pairs are sorted by key, then by the place that they had in the input: an order without ties, so
// that whatever sorts is stable. A place travels with its key, the value is fetched at the end.
#pragma once

#include "gpu/radix/small_crowds.cuh"

namespace sortlab::gpu {

__device__ __forceinline__ std::uint32_t warp_min(std::uint32_t x) {
  return __reduce_min_sync(kAllLanes, x);
}
__device__ __forceinline__ std::uint64_t warp_min(std::uint64_t x) {
  const auto high = static_cast<std::uint32_t>(x >> 32);
  const std::uint32_t least = warp_min(high);
  const std::uint32_t low = high == least ? static_cast<std::uint32_t>(x) : ~0u;
  return std::uint64_t{least} << 32 | warp_min(low);
}
template <class Bits>
__device__ __forceinline__ Bits warp_max(Bits x) {
  return static_cast<Bits>(~warp_min(static_cast<Bits>(~x)));
}

/// Maps [lowest, highest] onto [0, bins), upwards and evenly; the lowest and the highest key have a
/// bin of their own. A key that many equal ones repeat is a splitter, so it ends buckets: in a bin
/// with others it would crowd it.
template <class Bits>
class BinMap {
 public:
  __device__ BinMap(Bits lowest, Bits highest, unsigned bins)
      : lowest_(lowest), highest_(highest), last_(bins - 1) {
    const Bits range = highest - lowest;
    if constexpr (sizeof(Bits) == 8) {
      shift_ = static_cast<unsigned>(__clzll(static_cast<long long>(range)));
    } else {
      shift_ = static_cast<unsigned>(__clz(static_cast<int>(range)));
    }
    const float top = static_cast<float>(leading_bits(range));
    factor_ = static_cast<unsigned>(
        __fdividef(static_cast<float>(bins) * (4294967296.0f * 0.999999f), top));
  }
  __device__ __forceinline__ unsigned operator()(Bits key) const {
    if (key == lowest_) return 0;
    if (key == highest_) return last_;
    const unsigned bin = __umulhi(leading_bits(key - lowest_), factor_);
    return min(max(bin, 1u), last_ - 1);
  }

 private:
  /// The distance from the lowest key as a 32-bit fraction of a power of two that holds the range.
  __device__ __forceinline__ unsigned leading_bits(Bits distance) const {
    return static_cast<unsigned>((distance << shift_) >> (8 * sizeof(Bits) - 32));
  }
  Bits lowest_;
  Bits highest_;
  unsigned last_;
  unsigned shift_;
  unsigned factor_;
};

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
      lowest = x_of(i) < lowest ? x_of(i) : lowest;
      highest = x_of(i) > highest ? x_of(i) : highest;
    }
  }
  lowest = warp_min(lowest);
  highest = warp_max(highest);
  if (lane_id() == 0) {
    s.warp_lowest[warp_id()] = lowest;
    s.warp_highest[warp_id()] = highest;
  }
  __syncthreads();
  lowest = warp_min(s.warp_lowest[lane_id() % Shared::kWarps]);
  highest = warp_max(s.warp_highest[lane_id() % Shared::kWarps]);
}

/// Sorts `count` items, the key in key[i] of thread t being number i * threads + t, into s.keys and
/// s.places; place_of(i) is its place. Begins and ends with a barrier.
template <class Shared, class Bits, unsigned kItems, class PlaceOf>
__device__ __forceinline__ void block_sort(const Bits (&key)[kItems], unsigned count,
                                           PlaceOf place_of, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr bool kPairs = Shared::kPairs;
  const auto is_there = [count](unsigned i) { return i * kThreads + threadIdx.x < count; };
  __syncthreads();
  const unsigned bins = empty_bins(count, s);

  // Bins over the range of the keys; over that of the places, if the keys are all the same.
  Bits lowest;
  Bits highest;
  block_range<kItems>(
      s, is_there, [&](unsigned i) { return key[i]; }, lowest, highest);
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
        if (is_there(i)) s.put(i * kThreads + threadIdx.x, key[i], place_of(i));
      }
      __syncthreads();
      return;
    }
  }
  const BinMap<Bits> bin_map(lowest, highest, bins);
  [[maybe_unused]] const auto bin_of = [bin_map, all_equal](Bits a_key, unsigned place) {
    return bin_map(kPairs && all_equal ? Bits{place} : a_key);
  };
  unsigned bin[kItems];
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    bin[i] = kNowhere;
    if (!is_there(i)) continue;
    if constexpr (kPairs) {
      bin[i] = all_equal ? bin_map(Bits{place_of(i)}) : bin_map(key[i]);
    } else {
      bin[i] = bin_map(key[i]);
    }
  }
  const bool is_crowded = spread(key, place_of, bin, bins, count, s);
  if constexpr (kPairs) {
    if (is_crowded) {
      sort_crowds(count, bins, bin_of, s);
      return;
    }
  }
  straighten(s, count);
}

}  // namespace sortlab::gpu
