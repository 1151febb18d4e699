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
#pragma once

#include "gpu/radix/small/crowds.cuh"

namespace sortlab::gpu::radix::small {

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

}  // namespace sortlab::gpu::radix::small
