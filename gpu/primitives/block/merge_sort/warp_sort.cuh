// A warp sorts the chunks of its lanes, in registers: merging by a bitonic network whose partners
// are lanes. No level waits for the shared memory or for a search, and each costs about half the
// instructions of a merge through the tile (tile.cuh), for as few levels as a warp has.
//
//   lane    0      1      2      3
//         |----| |----| |----| |----|     chunks in order
//         |-----------| |-----------|     item i of a run against item (last - i) of both, then the
//         |-------------------------|     halves, quarters, ... and last the items of a lane
#pragma once

#include "gpu/primitives/block/merge_sort/chunk.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::merge_sort {

/// An item, with its place if items have places.
template <class C>
struct Placed {
  typename C::Key key;
  unsigned place;
};
template <class C>
__device__ __forceinline__ Placed<C> at_lane(const C& chunk, unsigned i, unsigned lane) {
  if constexpr (C::kPlaced) {
    return {gpu::from_lane(chunk.keys[i], lane), gpu::from_lane(chunk.places[i], lane)};
  } else {
    return {from_lane(chunk.keys[i], lane), 0};
  }
}

/// Keeps the lower or the higher of item i and another lane's item, which keeps the one that is left.
/// Of two that compare equal, and so can't be told apart, both may keep the same.
template <class Less, class C, class Other>
__device__ __forceinline__ void keep_one(C& chunk, unsigned i, const Other& other,
                                         bool keeps_lower) {
  bool is_lower = Less{}(other.key, chunk.keys[i]);
  if constexpr (C::kPlaced) {
    const bool is_higher = Less{}(chunk.keys[i], other.key);
    is_lower |= !is_higher & (other.place < chunk.places[i]);
  }
  if (is_lower == keeps_lower) {
    chunk.keys[i] = other.key;
    if constexpr (C::kPlaced) chunk.places[i] = other.place;
  }
}

/// Merges the runs of each two neighbouring groups of kLanes / 2 lanes.
template <class Less, unsigned kLanes, class C>
__device__ __forceinline__ void merge_lanes(C& chunk) {
  constexpr unsigned kItems = C::kItems;
  const bool is_low = (lane_id() & kLanes / 2) == 0;
  const unsigned mirrored = lane_id() ^ (kLanes - 1);
#pragma unroll
  for (unsigned i = 0; i < kItems / 2; ++i) {
    const auto other_of_low = merge_sort::at_lane(chunk, kItems - 1 - i, mirrored);
    const auto other_of_high = merge_sort::at_lane(chunk, i, mirrored);
    keep_one<Less>(chunk, i, other_of_low, is_low);
    keep_one<Less>(chunk, kItems - 1 - i, other_of_high, is_low);
  }
#pragma unroll
  for (unsigned distance = kLanes / 4; distance > 0; distance /= 2) {
    const bool is_lower = (lane_id() & distance) == 0;
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      keep_one<Less>(chunk, i, merge_sort::at_lane(chunk, i, lane_id() ^ distance), is_lower);
    }
  }
  merge_rotated<Less>(chunk);
}

/// Puts copies of the warp's last item behind its `count` items, where they stay. Chunks are in
/// order; one that is short has copies of its own last item there.
template <class Less, class C>
__device__ __forceinline__ void fill_up_warp(C& chunk, unsigned count) {
  const unsigned lanes = (count + C::kItems - 1) / C::kItems;
  Chunk<typename C::Key, 1, C::kPlaced> last;
  const auto mine = merge_sort::at_lane(chunk, C::kItems - 1, lane_id() % lanes);
  last.keys[0] = mine.key;
  last.places[0] = mine.place;
#pragma unroll
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
    keep_one<Less>(last, 0, merge_sort::at_lane(last, 0, lane_id() ^ distance), false);
  }
#pragma unroll
  for (unsigned i = 0; i < C::kItems; ++i) {
    if (lane_id() * C::kItems + i >= count) {
      chunk.keys[i] = last.keys[0];
      if constexpr (C::kPlaced) chunk.places[i] = last.places[0];
    }
  }
}

/// Sorts the `count` items of a warp, whose chunks are in order.
template <class Less, class C>
__device__ __forceinline__ void merge_chunks_of_warp(C& chunk, unsigned count) {
  if (count < kWarp * C::kItems) fill_up_warp<Less>(chunk, count);
  merge_lanes<Less, 2>(chunk);
  merge_lanes<Less, 4>(chunk);
  merge_lanes<Less, 8>(chunk);
  merge_lanes<Less, 16>(chunk);
  merge_lanes<Less, 32>(chunk);
}

}  // namespace sortlab::gpu::merge_sort
