// A merge pass: groups of four runs, each merged into one. Every block cuts the stretches that its
// outputs come from out of its four runs and merges them 2 + 2, then both, in shared memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "gpu/merge/multiway_cut.cuh"
#include "gpu/merge/multiway_merge_chunk.cuh"
#include "gpu/merge/multiway_plan.cuh"
#include "gpu/primitives/launch.cuh"
#include "gpu/primitives/tile.cuh"

namespace sortlab::gpu::multiway {

/// A merge pass: runs of `width` items, the blocks that share a group of four of them.
struct Pass {
  std::size_t n;
  std::size_t width;
  std::size_t blocks_a_group;

  Pass(std::size_t n_, std::size_t width_, unsigned tile)
      : n(n_), width(width_), blocks_a_group(ceil_div(std::min(n, kWays * width), tile)) {}

  std::size_t blocks(unsigned tile) const {
    const std::size_t whole = n / (kWays * width);
    return whole * blocks_a_group + ceil_div(n - whole * kWays * width, tile);
  }
  __device__ RunGroup group(std::size_t block) const {
    const std::size_t begin = block / blocks_a_group * kWays * width;
    return {begin, width, n - begin < kWays * width ? n - begin : kWays * width};
  }
  /// The first output of the block, counted within its group.
  __device__ std::size_t first(std::size_t block, unsigned tile) const {
    return block % blocks_a_group * tile;
  }
};

/// Finds the cut of each block of the following merge, a thread for each.
constexpr unsigned kThreadsOfFindCuts = 64;
template <class P>
__global__ void __launch_bounds__(kThreadsOfFindCuts)
    find_cuts(const typename P::Key* keys, const typename P::Key* samples, Pass pass,
              std::size_t blocks, Cut* cuts, const unsigned* unsorted) {
  const std::size_t block = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (block >= blocks || *unsorted == 0) return;
  cuts[block] = cut_of_runs<typename P::Less>(keys, samples, pass.group(block),
                                              pass.first(block, P::kMergedCount));
}

/// Copies a run into the tile, upwards from `position` on or downwards from position - 1 on. Its
/// first item has the place `place`.
template <class P>
__device__ __forceinline__ void load_run(typename P::Tile tile, const typename P::Key* from,
                                         unsigned count, unsigned position, bool upwards,
                                         unsigned place) {
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
  if constexpr (P::kPlaced) {
    auto* to_place = &tile.place_at(first);
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < count; i += P::kThreads) {
      *to_place = place + i;
      to_place += step * P::Tile::kPlacesToNextRow;
    }
  }
}

/// Merges the runs of each group of four, and samples the result. When all is in order already it only copies, and only if
/// it has to.
template <class P>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    merge_runs(typename P::Data from, typename P::Data to, Pass pass, const Cut* cuts,
               const unsigned* unsorted, bool copies_sorted, typename P::Key* samples) {
  __shared__ std::size_t s_cut[2][kWays];
  constexpr unsigned kTile = P::kMergedCount;
  const RunGroup group = pass.group(blockIdx.x);
  const std::size_t begin = pass.first(blockIdx.x, kTile);
  const unsigned count = count_in_tile(group.count, begin, kTile);
  const auto out = to.from(group.begin + begin);
  // These loads and that of the flag wait for each other's answers no longer than for one.
  const bool is_sorted = *unsorted == 0;
  if (threadIdx.x < 2 * kWays) {
    const unsigned side = threadIdx.x / kWays;
    const unsigned run = threadIdx.x % kWays;
    s_cut[side][run] = side == 1 && begin + count == group.count
                           ? group.run_count(run)
                           : cuts[blockIdx.x + side].from_run[run];
  }
  if (is_sorted) {
    if (copies_sorted) copy_many<P>(from.from(group.begin + begin), out, count);
    return;
  }
  __syncthreads();
  std::size_t run_first[kWays];
  unsigned run_count[kWays];
#pragma unroll
  for (unsigned run = 0; run < kWays; ++run) {
    run_first[run] = group.run_begin(run) + s_cut[0][run];
    run_count[run] = static_cast<unsigned>(s_cut[1][run] - s_cut[0][run]);
  }

#pragma unroll
  for (unsigned run = 0; run < kWays; ++run) {
    if (run_count[run] == count) {
      const auto* const keys = from.keys + run_first[run];
      copy_many<P>(from.from(run_first[run]), out, count);
      store_samples<P>(group.begin + begin, count, samples, [=](unsigned i) { return keys[i]; });
      return;
    }
  }

  const auto tile = P::tile();
  const unsigned left = run_count[0] + run_count[1];
  const unsigned left_slots = (left + P::kItems - 1) / P::kItems;
  // The first pair ends at a multiple of 32 slots, so that a lane's slots keep to the pattern of
  // which the banks differ; only a warp that works on both pairs has bank conflicts.
  const unsigned border = (left_slots + kWarp - 1) / kWarp * kWarp * P::kItems;
  const unsigned end = border + (P::kThreads - left_slots) * P::kItems;
  unsigned place = 0;
  const auto load = [&](unsigned run, unsigned position, bool upwards) {
    load_run<P>(tile, from.keys + run_first[run], run_count[run], position, upwards, place);
    place += run_count[run];
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
  const Runs pair = in_left ? Runs{0, border, run_count[0], run_count[1]}
                            : Runs{border, end, run_count[2], run_count[3]};
  unsigned steps = merge_chunk<P>(tile, pair, number, chunk,
                                  [](unsigned mine) { return from_next_thread<P>(mine); });
  __syncthreads();
  if (steps > 0) store_chunk(tile, in_left ? number : P::kThreads - 1 - number, in_left, chunk);
  __syncthreads();

  const Runs both{0, P::Tile::kCount, left, count - left};
  steps = merge_chunk<P>(tile, both, threadIdx.x, chunk,
                         [](unsigned mine) { return from_next_thread<P>(mine); });
  __syncthreads();
  if (steps > 0) store_chunk(tile, threadIdx.x, true, chunk);
  __syncthreads();
  store_samples<P>(group.begin + begin, count, samples, [=](unsigned i) { return tile.key_at(i); });
  store_tile<P, kTile>(tile, count, out, [&](auto* s_values) {
    if constexpr (P::Data::kPairs) {
      unsigned to_place = 0;
#pragma unroll
      for (unsigned run = 0; run < kWays; ++run) {
        const auto* const values = from.values + run_first[run];
#pragma unroll 4
        for (unsigned i = threadIdx.x; i < run_count[run]; i += P::kThreads) {
          start_copy(s_values[to_place + i], values[i]);
        }
        to_place += run_count[run];
      }
    }
  });
}

}  // namespace sortlab::gpu::multiway
