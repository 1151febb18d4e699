// A block sorts a tile in shared memory. Every thread sorts a chunk in registers; then pairs of runs
// are merged, within a warp by its lanes or as all others.
#pragma once

#include <cstddef>

#include "gpu/primitives/block/merge_sort/plan.cuh"
#include "gpu/primitives/block/merge_sort/tile.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::merge_sort {

// A warp sorts the chunks of its lanes, in registers: merging by a bitonic network whose partners
// are lanes. No level waits for the shared memory or for a search, and each costs about half the
// instructions of a merge through the tile (tile.cuh), for as few levels as a warp has.
//
//   lane    0      1      2      3
//         |----| |----| |----| |----|     chunks in order
//         |-----------| |-----------|     item i of a run against item (last - i) of both, then the
//         |-------------------------|     halves, quarters, ... and last the items of a lane

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
/// Of two that compare equal, and so can't be distinguished, both may keep the same.
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

/// Merges each two neighbouring runs of slots / 2 chunks. A thread makes one chunk of the result. Runs of the
/// result lie upwards and downwards by turns.
template <class P>
__device__ __forceinline__ void merge_neighbours(typename P::Tile tile, unsigned count,
                                                 unsigned slots, typename P::Chunk& chunk) {
  constexpr unsigned kItems = P::kItems;
  constexpr bool kBetweenLanes = P::kInWarp == InWarp::between_lanes;
  const unsigned thread = threadIdx.x;
  const unsigned number = thread % slots;
  const unsigned first_slot = thread - number;
  const unsigned low = first_slot * kItems;
  const unsigned width = slots / 2 * kItems;
  const auto within = [=](unsigned begin) { return begin < count ? min(count - begin, width) : 0; };
  const Runs runs{low, low + 2 * width, within(low), within(low + width)};
  const bool in_warp = !kBetweenLanes && slots <= kWarp;
  in_warp ? __syncwarp() : __syncthreads();
  const unsigned steps = merge_chunk<P>(tile, runs, number, chunk, [=](unsigned mine) {
    return in_warp ? __shfl_down_sync(kAllLanes, mine, 1) : from_next_thread<P>(mine);
  });
  in_warp ? __syncwarp() : __syncthreads();
  const bool upwards = first_slot / slots % 2 == 0;
  if (steps > 0) {
    merge_sort::store_chunk(tile, upwards ? thread : first_slot + slots - 1 - number, upwards,
                            chunk);
  }
}

/// Sorts the `count` items of the tile, of which each thread holds an unsorted chunk: chunks in
/// registers, then runs in the tile, of twice as many chunks each time.
template <class P>
__device__ __forceinline__ void sort_tile(typename P::Tile tile, unsigned count,
                                          typename P::Chunk& chunk) {
  using Less = typename P::Less;
  constexpr unsigned kItems = P::kItems;
  constexpr bool kBetweenLanes = P::kInWarp == InWarp::between_lanes;
  const unsigned thread = threadIdx.x;
  const unsigned first_of_warp = warp_id() * kWarp * kItems;
  if (first_of_warp < count) {
    sort_chunk<Less>(chunk);
    if constexpr (kBetweenLanes) merge_chunks_of_warp<Less>(chunk, count - first_of_warp);
  }
  __syncthreads();
  // The chunks that make up a run by now.
  constexpr unsigned kSlots = kBetweenLanes ? kWarp : 1;
  if (first_of_warp < count) {
    const bool upwards = thread / kSlots % 2 == 0;
    merge_sort::store_chunk(tile, upwards ? thread : thread ^ (kSlots - 1), upwards, chunk);
  }
  for (unsigned slots = 2 * kSlots; slots / 2 * kItems < count; slots *= 2) {
    merge_neighbours<P>(tile, count, slots, chunk);
  }
  __syncthreads();
}

/// Takes each thread's chunk out of the tile of `count` items; says whether it sees no step down
/// within its chunk or to the next one.
template <class P>
__device__ __forceinline__ bool take_chunk(typename P::Tile tile, unsigned count,
                                           typename P::Chunk& chunk) {
  using Less = typename P::Less;
  constexpr unsigned kItems = P::kItems;
  const unsigned first = threadIdx.x * kItems;
#pragma unroll
  for (unsigned r = 0; r < kItems; ++r) {
    chunk.keys[r] = tile.key_at(first + r);
    if constexpr (P::kPlaced) chunk.places[r] = first + r;
  }
  bool in_order = true;
  const unsigned items = min(count - min(first, count), kItems);
#pragma unroll
  for (unsigned r = 1; r < kItems; ++r) {
    in_order &= r >= items || !Less{}(chunk.keys[r], chunk.keys[r - 1]);
  }
  if (first + kItems < count) {
    in_order &= !Less{}(tile.key_at(first + kItems), chunk.keys[kItems - 1]);
  }
  return in_order;
}

/// Fills a chunk that begins at `first` and is cut short by the tile's end up with copies of its
/// largest item, which end behind it. A chunk behind the end gets copies of the tile's last item:
/// its order is of no interest, but a comparison of the user's may follow pointers in any item.
template <class P>
__device__ __forceinline__ void fill_up(unsigned first, unsigned count, typename P::Chunk& chunk) {
  constexpr unsigned kItems = P::kItems;
  if (first + kItems <= count || count == 0) return;
  if (first >= count) {
    const auto last = P::tile().key_at(count - 1);
#pragma unroll
    for (auto& key : chunk.keys) key = last;
    return;
  }
#pragma unroll
  for (unsigned r = 1; r < kItems; ++r) {
    // Item 0 becomes the largest so far; what it was goes to where that came from.
    if (first + r < count) put_in_order<typename P::Less>(chunk, r, 0);
  }
#pragma unroll
  for (unsigned r = 1; r < kItems; ++r) {
    if (first + r >= count) {
      chunk.keys[r] = chunk.keys[0];
      if constexpr (P::kPlaced) chunk.places[r] = chunk.places[0];
    }
  }
}

}  // namespace sortlab::gpu::merge_sort
