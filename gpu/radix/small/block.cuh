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

#include "gpu/radix/small/crowds.cuh"
#include "gpu/radix/small/windows.cuh"

namespace sortlab::gpu::radix::small {

// Pairs of few distinct keys, in a block that holds them in the order of their places: a pair's rank
// among those of its key is then a count, and needs no comparison.
//
//   row      the items that a warp holds side by side: lanes in the order of the places
//   table    | crowd | row 0 | row 1 | ... |    how many of the row's items are of the crowd
//     rank = sum of the rows before + lanes of the crowd below
//
// Crowds are bins of more than kMostInBin pairs; all others keep the rank that they have in their
// bin. Against spreading crowds by their places (crowds.cuh), which does for any order: no
// network has to put them right.
// measured: 2^12 u32+u32, two distinct keys, replayed as a graph, us: 13.0 (this) vs 15.1 (spread); H200,
// small.9.txt

/// A table in the memory of the items' keys, which are in registers, too.
template <class Shared>
struct CrowdRows {
  static constexpr unsigned kCrowds = Shared::kCapacity / (kMostInBin + 1) + 1;
  static constexpr unsigned kRowsALane = (Shared::kCapacity / kWarp + kWarp - 1) / kWarp;
  static constexpr unsigned kRows = kRowsALane * kWarp;
  static_assert(sizeof(std::uint16_t) * kCrowds * kRows <= sizeof(Shared::keys));

  std::uint16_t count[kCrowds][kRows];

  __device__ void clear() {
    for (unsigned c = warp_id(); c < kCrowds; c += Shared::kWarps) {
      for (unsigned row = lane_id(); row < kRows; row += kWarp) count[c][row] = 0;
    }
  }
  /// Each row's count becomes the sum of those before.
  __device__ void sum_up() {
    for (unsigned c = warp_id(); c < kCrowds; c += Shared::kWarps) {
      std::uint16_t* const mine = &count[c][lane_id() * kRowsALane];
      unsigned sum = 0;
#pragma unroll
      for (unsigned r = 0; r < kRowsALane; ++r) sum += mine[r];
      unsigned before = warp_inclusive_scan(sum) - sum;
#pragma unroll
      for (unsigned r = 0; r < kRowsALane; ++r) {
        const unsigned size = mine[r];
        mine[r] = static_cast<std::uint16_t>(before);
        before += size;
      }
    }
  }
};

/// Spreads the `count` pairs once more, those of crowds in order, after `spread`, which has left a
/// pair's rank with bin[i]; item i * threads + t is thread t's, and so ordered by place. Or returns
/// false and leaves everything as it is, if some crowd has several keys. There are barriers to come
/// before it, and after it, before an item is read.
template <class Shared, unsigned kItems, class KeyOf, class PlaceOf>
__device__ __forceinline__ bool spread_repeats(KeyOf key_of, PlaceOf place_of,
                                               const unsigned (&bin)[kItems], unsigned bins,
                                               unsigned count, Shared& s) {
  using Rows = CrowdRows<Shared>;
  const unsigned used = (count + Shared::kThreads - 1) / Shared::kThreads;
  const unsigned my_stretch_begin = stretch_begin(s);

  // Where each pair's bin begins, and which crowd that is.
  unsigned begin[kItems];
  unsigned crowd[kItems];
  bool is_pure = true;
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    crowd[i] = kNowhere;
    if (i >= used) continue;
    const bool is_there = bin[i] != kNowhere;
    const BinStretch stretch =
        stretch_of(is_there ? place_in(bin[i]) : 0, bins, my_stretch_begin, s);
    begin[i] = stretch.begin();
    if (is_there && stretch.is_crowd<kMostInBin>()) {
      crowd[i] = stretch.crowd<kMostInBin>();
      is_pure = is_pure && s.items()[begin[i]].key == key_of(i);
    }
  }
  if (!__syncthreads_and(is_pure)) return false;

  auto& rows = *reinterpret_cast<Rows*>(s.keys);
  rows.clear();
  __syncthreads();
  unsigned rank[kItems];
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (i >= used) continue;
    const unsigned peers = __match_any_sync(kAllLanes, crowd[i]);
    rank[i] = rank_in(bin[i]);
    if (crowd[i] == kNowhere) continue;
    rank[i] = static_cast<unsigned>(__popc(lanes_below(peers)));
    if (rank[i] == 0) {
      rows.count[crowd[i]][i * Shared::kWarps + warp_id()] =
          static_cast<std::uint16_t>(__popc(peers));
    }
  }
  __syncthreads();
  rows.sum_up();
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (crowd[i] != kNowhere) rank[i] += rows.count[crowd[i]][i * Shared::kWarps + warp_id()];
  }
  __syncthreads();
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (bin[i] != kNowhere) s.put(begin[i] + rank[i], key_of(i), place_of(i));
  }
  return true;
}

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
