// A block sorts a tile in shared memory. Every thread sorts a chunk in registers; then pairs of runs
// are merged, within a warp by its lanes or as all others.
#pragma once

#include <cstddef>

#include "gpu/primitives/block/merge_sort/merge_chunk.cuh"
#include "gpu/primitives/block/merge_sort/plan.cuh"
#include "gpu/primitives/block/merge_sort/warp_sort.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::merge_sort {

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
