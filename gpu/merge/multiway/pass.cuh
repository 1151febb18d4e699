// A merge pass: groups of four runs, each merged into one. Every block cuts the stretches that its
// outputs come from out of its four runs and merges them 2 + 2, then both, in shared memory: by
// networks (merge_runs()) or walking along the runs (walk.cuh).
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/utils.hpp"
#include "gpu/merge/multiway/cut.cuh"
#include "gpu/primitives/block/merge_sort/plan.cuh"
#include "gpu/primitives/block/merge_sort/tile.cuh"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/launch/launch.cuh"

namespace sortlab::gpu::merge::multiway {

using namespace merge_sort;

/// A merge pass: runs of `width` items, the blocks that share a group of four of them.
struct Pass {
  std::size_t n;
  std::size_t width;
  std::size_t blocks_a_group;

  Pass(std::size_t n_, std::size_t width_, unsigned tile)
      : n(n_), width(width_), blocks_a_group(ceil_div(smaller(n, kWays * width), tile)) {}

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
              std::size_t blocks, Cut* cuts, const unsigned* unsorted, typename P::State state) {
  hold<typename P::Less>(state);
  const std::size_t block = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (block >= blocks || *unsorted == 0) return;
  cuts[block] = cut_of_runs<typename P::Less>(keys, samples, pass.group(block),
                                              pass.first(block, P::kMergedCount));
}

/// The same, sixteen lanes for each.
template <class P>
__global__ void __launch_bounds__(kThreadsOfFindCuts)
    find_few_cuts(const typename P::Key* keys, const typename P::Key* samples, Pass pass,
                  std::size_t blocks, Cut* cuts, const unsigned* unsorted,
                  typename P::State state) {
  hold<typename P::Less>(state);
  if (*unsorted == 0) return;
  const std::size_t number = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / kLanesACut;
  const std::size_t block = number < blocks ? number : blocks - 1;  // all lanes go along
  const std::size_t from_run = cut_of_run<typename P::Less>(keys, samples, pass.group(block),
                                                            pass.first(block, P::kMergedCount));
  if (lane_id() % kCandidates == 0) {
    cuts[block].from_run[lane_id() % kLanesACut / kCandidates] = from_run;
  }
}

/// Up to this many cuts per pass sixteen lanes share a search; 2^24 u32 keys have 4128.
/// measured: 2^24 u32, all searches, ms: 0.096 (by lanes) vs 0.142 (by threads); H200,
/// merge_multiway.12.txt
constexpr std::size_t kFewCuts = 8192;

template <class P>
void launch_find_cuts(const typename P::Key* keys, const typename P::Key* samples, Pass pass,
                      std::size_t blocks, Cut* cuts, const unsigned* unsorted,
                      const typename P::State& state, cudaStream_t stream) {
  const bool few = blocks <= kFewCuts;
  const std::size_t threads = few ? blocks * kLanesACut : blocks;
  launch("find_cuts", few ? find_few_cuts<P> : find_cuts<P>,
         {ceil_div(threads, kThreadsOfFindCuts), kThreadsOfFindCuts}, stream, keys, samples, pass,
         blocks, cuts, unsorted, state);
}

/// What a block merges: a part of each run of its group.
struct Part {
  std::size_t begin;  // of its outputs
  unsigned count;
  std::size_t run_first[kWays];
  unsigned run_count[kWays];
};

/// Copies `count` items, several a thread at a time, so that enough of them are on their way.
template <class P, class Map>
__device__ __forceinline__ void copy_many(typename P::Data from, typename P::Data to,
                                          unsigned count, Map map) {
  constexpr unsigned kAtATime = 8;
  const auto copy = [count](const auto* from_array, auto* to_array, auto map) {
    std::remove_reference_t<decltype(*to_array)> held[kAtATime];
    for (unsigned first = threadIdx.x; first < count; first += kAtATime * P::kThreads) {
#pragma unroll
      for (unsigned r = 0; r < kAtATime; ++r) {
        const unsigned i = first + r * P::kThreads;
        if (i < count) held[r] = from_array[i];
      }
#pragma unroll
      for (unsigned r = 0; r < kAtATime; ++r) {
        const unsigned i = first + r * P::kThreads;
        if (i < count) to_array[i] = map.key(held[r]);
      }
    }
  };
  copy(from.keys, to.keys, map);
  if constexpr (P::Data::kPairs) copy(from.values, to.values, AsTheyAre{});
}

/// Copies the cuts at both ends of the block's outputs to shared memory. A group's last block ends where
/// the runs do.
template <class P>
__device__ __forceinline__ void load_cuts(const RunGroup& group, std::size_t first, unsigned count,
                                          const Cut* cuts, std::size_t (&s_cut)[2][kWays]) {
  if (threadIdx.x < 2 * kWays) {
    const unsigned side = threadIdx.x / kWays;
    const unsigned run = threadIdx.x % kWays;
    s_cut[side][run] = side == 1 && first + count == group.count
                           ? group.run_count(run)
                           : cuts[blockIdx.x + side].from_run[run];
  }
}

/// If all outputs of the part come from one run, copies and samples them; says whether it did.
template <class P, class Map>
__device__ __forceinline__ bool copy_single_run(typename P::Data from, typename P::Data to,
                                                const Part& part, typename P::Key* samples,
                                                const Map& map) {
#pragma unroll
  for (unsigned run = 0; run < kWays; ++run) {
    if (part.run_count[run] == part.count) {
      const auto* const keys = from.keys + part.run_first[run];
      copy_many<P>(from.from(part.run_first[run]), to.from(part.begin), part.count, map);
      store_samples<P>(part.begin, part.count, samples, [=](unsigned i) { return keys[i]; });
      return true;
    }
  }
  return false;
}

/// Finds a block's part, unless nothing is left to do: when all is in order already it only
/// copies, and only if it has to; and so it does where all outputs come from one run, whose keys
/// `map` turns into those of the output. A barrier.
template <class P, class Map>
__device__ __forceinline__ bool find_part(typename P::Data from, typename P::Data to, Pass pass,
                                          const Cut* cuts, const unsigned* unsorted,
                                          bool copies_sorted, typename P::Key* samples, Map map,
                                          Part& part) {
  __shared__ std::size_t s_cut[2][kWays];
  const RunGroup group = pass.group(blockIdx.x);
  const std::size_t first = pass.first(blockIdx.x, P::kMergedCount);
  part.begin = group.begin + first;
  part.count = count_in_tile(group.count, first, P::kMergedCount);
  // These loads and that of the flag wait for each other's answers no longer than for one.
  const bool is_sorted = *unsorted == 0;
  load_cuts<P>(group, first, part.count, cuts, s_cut);
  if (is_sorted) {
    if (copies_sorted) {  // keys are still as they came
      copy_many<P>(from.from(part.begin), to.from(part.begin), part.count, Map{});
    }
    return false;
  }
  __syncthreads();
#pragma unroll
  for (unsigned run = 0; run < kWays; ++run) {
    part.run_first[run] = group.run_begin(run) + s_cut[0][run];
    part.run_count[run] = static_cast<unsigned>(s_cut[1][run] - s_cut[0][run]);
  }
  return !copy_single_run<P>(from, to, part, samples, map);
}

// A merge pass by networks, for keys of which equal ones cannot be distinguished.

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

/// How the runs of a part lie in the tile: two pairs, each with its first run upwards and its second one
/// downwards. The first pair ends at a multiple of 32 slots, so that a lane's slots keep to the pattern
/// of which the banks differ; only a warp that works on both pairs has bank conflicts.
template <class P>
struct TwoPairs {
  unsigned left;  // items of the first pair
  unsigned left_slots;
  unsigned border;
  unsigned end;

  explicit __device__ __forceinline__ TwoPairs(const Part& part)
      : left(part.run_count[0] + part.run_count[1]),
        left_slots((left + P::kItems - 1) / P::kItems),
        border((left_slots + kWarp - 1) / kWarp * kWarp * P::kItems),
        end(border + (P::kThreads - left_slots) * P::kItems) {}
};

/// Brings the runs of a part to the tile. A barrier.
template <class P>
__device__ __forceinline__ void load_pairs(typename P::Tile tile, const typename P::Key* keys,
                                           const Part& part, const TwoPairs<P>& at) {
  const auto load = [&](unsigned run, unsigned position, bool upwards) {
    load_run<P>(tile, keys + part.run_first[run], part.run_count[run], position, upwards);
  };
  load(0, 0, true);
  load(1, at.border, false);
  load(2, at.border, true);
  load(3, at.end, false);
  wait_for_copies();
  __syncthreads();
}

/// The first level: merges both pairs, the first upwards and the second downwards. Ends with a barrier.
template <class P>
__device__ __forceinline__ void merge_pairs(typename P::Tile tile, const Part& part,
                                            const TwoPairs<P>& at, typename P::Chunk& chunk) {
  const bool in_left = threadIdx.x < at.left_slots;
  const unsigned number = in_left ? threadIdx.x : threadIdx.x - at.left_slots;
  const Runs pair = in_left ? Runs{0, at.border, part.run_count[0], part.run_count[1]}
                            : Runs{at.border, at.end, part.run_count[2], part.run_count[3]};
  const unsigned steps = merge_chunk<P>(tile, pair, number, chunk,
                                        [](unsigned mine) { return from_next_thread<P>(mine); });
  __syncthreads();
  if (steps > 0) store_chunk(tile, in_left ? number : P::kThreads - 1 - number, in_left, chunk);
  __syncthreads();
}

/// The second level: merges what the first one made. Ends with a barrier.
template <class P>
__device__ __forceinline__ void merge_both(typename P::Tile tile, const Part& part,
                                           const TwoPairs<P>& at, typename P::Chunk& chunk) {
  const Runs both{0, P::Tile::kCount, at.left, part.count - at.left};
  const unsigned steps = merge_chunk<P>(tile, both, threadIdx.x, chunk,
                                        [](unsigned mine) { return from_next_thread<P>(mine); });
  __syncthreads();
  if (steps > 0) store_chunk(tile, threadIdx.x, true, chunk);
  __syncthreads();
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
  const TwoPairs<P> at(part);
  typename P::Chunk chunk;
  load_pairs<P>(tile, from.keys, part, at);
  merge_pairs<P>(tile, part, at, chunk);
  merge_both<P>(tile, part, at, chunk);
  store_samples<P>(part.begin, part.count, samples, [=](unsigned i) { return tile.key_at(i); });
  store_tile<P, P::kMergedCount>(tile, part.count, to.from(part.begin), map, [](auto*) {});
}

}  // namespace sortlab::gpu::merge::multiway
