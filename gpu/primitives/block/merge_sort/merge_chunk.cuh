// One step of every merge within a block: a thread's chunk out of two runs of the tile.
#pragma once

#include "gpu/primitives/block/merge_sort/tile.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::merge_sort {

/// The co-rank of the next thread, whatever pair of runs it has; a barrier.
template <class P>
__device__ __forceinline__ unsigned from_next_thread(unsigned mine) {
  __shared__ unsigned s_of_warp[P::kThreads / kWarp + 1];
  if (lane_id() == 0) s_of_warp[warp_id()] = mine;
  const unsigned next = __shfl_down_sync(kAllLanes, mine, 1);
  __syncthreads();
  return lane_id() == kWarp - 1 ? s_of_warp[warp_id() + 1] : next;
}

/// Merges chunk number `number` of a pair of runs into registers; says how many items it holds.
/// neighbour(x) is the value that the thread of the following chunk calls it with.
template <class P, class Neighbour>
__device__ __forceinline__ unsigned merge_chunk(typename P::Tile tile, Runs runs, unsigned number,
                                                typename P::Chunk& chunk, Neighbour neighbour) {
  const unsigned total = runs.count();
  const unsigned mine = outputs_from_left<typename P::Less>(tile, runs, number * P::kItems);
  const unsigned diagonal = min(number * P::kItems, total);
  const unsigned next = neighbour(mine);
  const bool is_last = diagonal + P::kItems >= total;
  const Share share{runs.low + mine, runs.high - (diagonal - mine),
                    (is_last ? runs.left : next) - mine, is_last ? total - diagonal : P::kItems};
  if (share.steps > 0) {
    load_share<typename P::Less>(tile, share, chunk);
    merge_rotated<typename P::Less>(chunk);
  }
  return share.steps;
}

}  // namespace sortlab::gpu::merge_sort
