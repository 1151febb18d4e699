// A merge pass by networks, for keys of which nobody can tell equal ones apart.
#pragma once

#include <cstddef>

#include "gpu/merge/multiway/pass.cuh"
#include "gpu/primitives/block/merge_sort/merge_chunk.cuh"
#include "gpu/primitives/block/merge_sort/plan.cuh"

namespace sortlab::gpu::merge::multiway {

/// Copies a run into the tile, upwards from `position` on or downwards from position - 1 on.
template <class P>
__device__ __forceinline__ void load_run(typename P::Tile tile, const typename P::Key* from,
                                         unsigned count, unsigned position, bool upwards) {
  const unsigned first = upwards ? position + threadIdx.x : position - 1 - threadIdx.x;
  const int step = upwards ? 1 : -1;
  const auto* from_key = from + threadIdx.x;
  auto* to_key = &tile.key_at(first);
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += P::kThreads) {
    start_copy(*to_key, *from_key);
    from_key += P::kThreads;
    to_key += step * P::Tile::kKeysToNextRow;
  }
}

/// Merges the runs of each group of four, and samples the result; `map` makes the output's keys.
template <class P, class Map>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    merge_runs(typename P::Data from, typename P::Data to, Pass pass, const Cut* cuts,
               const unsigned* unsorted, bool copies_sorted, typename P::Key* samples, Map map,
               typename P::State state) {
  static_assert(!P::kPlaced);
  hold<typename P::Less>(state);
  Part part;
  if (!find_part<P>(from, to, pass, cuts, unsorted, copies_sorted, samples, map, part)) return;
  const auto tile = P::tile();
  const unsigned left = part.run_count[0] + part.run_count[1];
  const unsigned left_slots = (left + P::kItems - 1) / P::kItems;
  // The first pair ends at a multiple of 32 slots, so that a lane's slots keep to the pattern of
  // which the banks differ; only a warp that works on both pairs has bank conflicts.
  const unsigned border = (left_slots + kWarp - 1) / kWarp * kWarp * P::kItems;
  const unsigned end = border + (P::kThreads - left_slots) * P::kItems;
  const auto load = [&](unsigned run, unsigned position, bool upwards) {
    load_run<P>(tile, from.keys + part.run_first[run], part.run_count[run], position, upwards);
  };
  load(0, 0, true);
  load(1, border, false);
  load(2, border, true);
  load(3, end, false);
  wait_for_copies();
  __syncthreads();

  typename P::Chunk chunk;
  const bool in_left = threadIdx.x < left_slots;
  const unsigned number = in_left ? threadIdx.x : threadIdx.x - left_slots;
  const Runs pair = in_left ? Runs{0, border, part.run_count[0], part.run_count[1]}
                            : Runs{border, end, part.run_count[2], part.run_count[3]};
  unsigned steps = merge_chunk<P>(tile, pair, number, chunk,
                                  [](unsigned mine) { return from_next_thread<P>(mine); });
  __syncthreads();
  if (steps > 0) store_chunk(tile, in_left ? number : P::kThreads - 1 - number, in_left, chunk);
  __syncthreads();

  const Runs both{0, P::Tile::kCount, left, part.count - left};
  steps = merge_chunk<P>(tile, both, threadIdx.x, chunk,
                         [](unsigned mine) { return from_next_thread<P>(mine); });
  __syncthreads();
  if (steps > 0) store_chunk(tile, threadIdx.x, true, chunk);
  __syncthreads();
  store_samples<P>(part.begin, part.count, samples, [=](unsigned i) { return tile.key_at(i); });
  store_tile<P, P::kMergedCount>(tile, part.count, to.from(part.begin), map, [](auto*) {});
}

}  // namespace sortlab::gpu::merge::multiway
