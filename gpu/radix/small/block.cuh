// A block sorts some thousand items that it holds in registers: spread them over as many bins as
// there are items (bins.cuh), then straighten what is left with networks of 8 items a thread
// (windows.cuh).
//
//   bins of equal width over [lowest, highest] key, about one item a bin
//     rank in the bin = returning shared atomic; place = prefix sum of the bins + rank
//   now every item is among those of its bin, and only those can be out of order
//
// Keys that crowd into few bins take more rounds of networks, and after kMaxRounds the block merges
// (merge.cuh). Crowds of pairs with equal keys are spread by their places (crowds.cuh).
//
// Pairs are sorted by key, then by the place that they had in the input: an order without ties, so
// that whatever sorts is stable. A place travels with its key, the value is fetched at the end.
#pragma once

#include "gpu/radix/small/repeats.cuh"

namespace sortlab::gpu::radix::small {

__device__ __forceinline__ std::uint32_t warp_min(std::uint32_t x) {
  return lanes_min(kAllLanes, x);
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

/// Which bin a pair is in: by its key, or by its place if the keys are all the same.
template <class Bits>
struct BinOf {
  BinMap<Bits> map;
  bool by_place;

  __device__ __forceinline__ unsigned operator()(Bits key, unsigned place) const {
    return map(by_place ? Bits{place} : key);
  }
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
  lowest = warp_min(s.warp_lowest[lane_id() % Shared::kWarps]);
  highest = warp_max(s.warp_highest[lane_id() % Shared::kWarps]);
}

/// Sorts `count` items into s.keys and s.places. Number i * threads + t is thread t's, its key is
/// key_of(i), its place place_of(i); i is less than kItems. Begins and ends with a barrier. kByPlace:
/// items come in the order of their places.
template <unsigned kItems, bool kByPlace = false, class Shared, class KeyOf, class PlaceOf>
__device__ __forceinline__ void block_sort(KeyOf key_of, unsigned count, PlaceOf place_of,
                                           Shared& s) {
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
      return;
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
  if constexpr (kPairs) {
    if (is_crowded) {
      if constexpr (kByPlace) {
        __syncthreads();
        if (spread_repeats(key_of, place_of, bin, bins, count, s)) {
          straighten(s, count);
          return;
        }
      }
      sort_crowds(count, bins, BinOf<Bits>{bin_map, all_equal}, s);
      return;
    }
  }
  straighten(s, count);
}

}  // namespace sortlab::gpu::radix::small
