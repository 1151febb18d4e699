// Many blocks sort together in one launch, by comparisons alone: for inputs so small that launches,
// and searches in the memory, would be most of the time.
//
//   tile of the input -> sorted in shared memory -> exchange buffer; every s-th key is a sample
//                                                                               -- barrier --
//   rank of each own sample among all; whoever holds a splitter writes it      -- barrier --
//   how many of the own tile's items are in front of each splitter              -- barrier --
//   bucket: its stretch of every tile, one after the other -> sorted -> output
//
// No bucket outgrows a block's tile (team_cut.cuh). Items are distinguished by key, then tile,
// then place in the tile, so that equal keys neither fill one bucket nor change their order.
// Source: parallel sorting by regular sampling (Shi and Schaeffer 1992).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/utils.hpp"
#include "gpu/merge/multiway/team_cut.cuh"
#include "gpu/primitives/block/merge_sort/sort_tile.cuh"
#include "gpu/primitives/grid/barrier.cuh"
#include "gpu/primitives/launch/team.cuh"

namespace sortlab::gpu::merge::multiway {

/// A team of so many blocks with the shape of plan P: half a tile is a block's share of the input,
/// so that its bucket fits a tile. The other half has room for what is needed in between.
template <class P, unsigned kBlocksT>
struct TeamPlan : P {
  static constexpr unsigned kBlocks = kBlocksT;
  static_assert(kBlocks <= kMostPieces && kMostPieces <= P::kThreads);
  using Key = typename P::Key;
  static constexpr unsigned kMostShare = P::Tile::kCount / 2;
  static constexpr std::size_t kHalfBytes =
      (P::kThreads / 2 * P::Tile::kKeyPitch * sizeof(Key) + 15) / 16 * 16;
  static_assert(kHalfBytes + kMostShare * kValueBytes<typename P::Value> <= P::kFirstBytes,
                "the places of a tile lie behind the values of half a tile");

  static constexpr std::size_t kMostItems = std::size_t{kBlocks} * kMostShare;
  static constexpr unsigned kMostSamples = Shares::most_samples(kBlocks);
  static constexpr std::size_t kSharedBytesOfTeam =
      larger(P::kSharedBytes, kHalfBytes + kBlocks * kMostSamples * sizeof(Key));

  /// Stretches of a bucket this long, on average, are merged; shorter ones and u32 are sorted.
  /// measured: 2^20, us: u64 91.0 (merged) vs 98.2 (sorted), u32+u32 93.3 vs 100.8, u32 61.2 vs 57.7;
  /// H200, docs/lab/gpu/merge/multiway.md
  static constexpr unsigned kLongPiece = 32;
  static constexpr bool kMergesPieces = sizeof(Key) > 4 || P::kPlaced;
};

/// Sorts the tile of `count` items that lie in shared memory as they came; says whether they were
/// in order. Called twice, but there once, as a kernel of some microseconds waits for its code.
template <class P>
__device__ __noinline__ bool sort_loaded_tile(unsigned count) {
  const auto tile = P::tile();
  typename P::Chunk chunk;
  if (__syncthreads_and(take_chunk<P>(tile, count, chunk))) {
    if constexpr (P::kPlaced) {
      for (unsigned i = threadIdx.x; i < count; i += P::kThreads) tile.place_at(i) = i;
      __syncthreads();
    }
    return true;
  }
  fill_up<P>(threadIdx.x * P::kItems, count, chunk);
  sort_tile<P>(tile, count, chunk);
  return false;
}

/// Calls for_item(i) for each i of [0, count), several a thread at a time.
template <class P, class ForItem>
__device__ __forceinline__ void for_each_item(unsigned count, ForItem for_item) {
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += P::kThreads) for_item(i);
}

/// A block of the team, with its share of the input and later a bucket: the steps of the sort.
template <class P, class Map>
struct TeamBlock {
  using Data = typename P::Data;
  using Key = typename P::Key;
  using Value = typename P::Value;
  using Less = typename P::Less;

  Data data;
  Data exchange;
  TeamSpace<Key> space;
  Shares shares;
  Map map;
  unsigned mine;   // the block's number, that of its tile and that of its bucket
  unsigned first;  // of its share
  unsigned count;

  /// The block's share becomes its tile: keys as `map` orders them. A barrier.
  __device__ __forceinline__ void load_tile() const {
    const auto tile = P::tile();
    for_each_item<P>(count,
                     [&](unsigned i) { gpu::start_copy(tile.key_at(i), data.keys[first + i]); });
    wait_for_copies();
    if (!map.changes_nothing()) {  // each thread has copied what it turns
      for_each_item<P>(count, [&](unsigned i) { tile.key_at(i) = map.ordered(tile.key_at(i)); });
    }
    __syncthreads();
  }

  /// Sorts the tile and takes regular samples of it: every stride-th key. Publishes whether the
  /// share, or the step from it to the next one, was out of order.
  __device__ __forceinline__ void sort_and_sample() const {
    const auto tile = P::tile();
    const bool steps_down = threadIdx.x == 0 && first + count < shares.n &&
                            Less{}(map.ordered(data.keys[first + count]), tile.key_at(count - 1));
    const bool was_sorted = sort_loaded_tile<P>(count);
    const unsigned pitch = shares.samples_a_tile();
    for_each_item<P>(shares.samples(mine), [&](unsigned j) {
      space.samples[mine * pitch + j] = tile.key_at((j + 1) * shares.stride - 1);
    });
    if (threadIdx.x == 0) space.unsorted[mine] = steps_down || !was_sorted;
  }

  /// Writes the sorted tile to the exchange buffer. Values go through the half of shared memory that
  /// the tile leaves free.
  __device__ __forceinline__ void hand_over_tile() const {
    const auto tile = P::tile();
    for_each_item<P>(count, [&](unsigned i) { exchange.keys[first + i] = tile.key_at(i); });
    if constexpr (P::Data::kPairs) {
      auto* const s_values = reinterpret_cast<Value*>(dynamic_shared() + P::kHalfBytes);
      for_each_item<P>(count, [&](unsigned i) { start_copy(s_values[i], data.values[first + i]); });
      wait_for_copies();
      __syncthreads();
      for_each_item<P>(
          count, [&](unsigned i) { exchange.values[first + i] = s_values[tile.place_at(i)]; });
    }
  }

  /// Whether some block saw its share out of order. A barrier.
  __device__ __forceinline__ bool is_any_unsorted() const {
    bool any_unsorted = false;
    for_each_item<P>(P::kBlocks, [&](unsigned t) { any_unsorted |= __ldcg(&space.unsorted[t]); });
    return __syncthreads_or(any_unsorted);
  }

  /// The splitters are the samples whose rank among all samples is a multiple of a bucket's share. Each
  /// block ranks its own samples and publishes the splitters among them. s_rank begins as zeros.
  __device__ __forceinline__ void find_splitters(unsigned* s_rank) const {
    const unsigned pitch = shares.samples_a_tile();
    auto* const s_samples = reinterpret_cast<Key*>(dynamic_shared() + P::kHalfBytes);
    load_samples(s_samples, pitch);
    rank_samples<P>(s_samples, shares, mine, s_rank);
    __syncthreads();
    const unsigned a_bucket = samples_a_bucket();
    for_each_item<P>(shares.samples(mine), [&](unsigned j) {
      const unsigned bucket = (s_rank[j] + 1) / a_bucket;
      if (bucket * a_bucket == s_rank[j] + 1 && bucket < P::kBlocks) {
        space.splitters[bucket] = {s_samples[mine * pitch + j], mine, (j + 1) * shares.stride};
      }
    });
  }

  /// Cuts the tile at the splitters and publishes the cuts. Buckets that no sample ends are empty.
  __device__ __forceinline__ void cut_tile() const {
    const unsigned samples = shares.all_samples();
    const unsigned a_bucket = samples_a_bucket();
    const auto tile = P::tile();
    for_each_item<P>(P::kBlocks, [&](unsigned bucket) {
      space.cuts[bucket * P::kBlocks + mine] =
          bucket * a_bucket > samples ? count
          : bucket == 0               ? 0
                                      : items_up_to<P>(space.splitters[bucket], tile, count, mine);
    });
  }

  /// Copies the block's bucket into its tile, one stretch after the other. Stretches that will be merged
  /// go to their slots, upwards and downwards by turns. A barrier.
  __device__ __forceinline__ void gather_bucket(const Pieces& s_pieces, unsigned in_bucket,
                                                bool merges) const {
    const auto tile = P::tile();
    for_each_item<P>(in_bucket, [&](unsigned i) {
      const unsigned piece = s_pieces.piece_of(i);
      const unsigned position = merges ? s_pieces.template position_of<P::kItems>(i, piece) : i;
      gpu::start_copy(tile.key_at(position), exchange.keys[s_pieces.from[piece] + i]);
      if constexpr (P::kPlaced) tile.place_at(position) = i;
    });
    wait_for_copies();
    __syncthreads();
  }

  /// Writes the sorted bucket to its place in the output, and moves its values there.
  __device__ __forceinline__ void store_bucket(const Pieces& s_pieces, unsigned in_bucket) const {
    const auto tile = P::tile();
    const auto out = data.from(s_pieces.begin);
    for_each_item<P>(in_bucket, [&](unsigned i) { out.keys[i] = map.key(tile.key_at(i)); });
    if constexpr (P::Data::kPairs) {
      auto* const s_values = reinterpret_cast<Value*>(dynamic_shared());
      __syncthreads();
      for_each_item<P>(in_bucket, [&](unsigned i) {
        start_copy(s_values[i], exchange.values[s_pieces.from[s_pieces.piece_of(i)] + i]);
      });
      wait_for_copies();
      __syncthreads();
      for_each_item<P>(in_bucket, [&](unsigned i) { out.values[i] = s_values[tile.place_at(i)]; });
    }
  }

  /// Whether a bucket's stretches are long enough to be merged, and have slots for that.
  __device__ __forceinline__ bool merges_pieces(const Pieces& s_pieces) const {
    return P::kMergesPieces && shares.share >= P::kLongPiece * P::kBlocks &&
           s_pieces.slot[kMostPieces / 2] <= P::kThreads;
  }

 private:
  __device__ __forceinline__ unsigned samples_a_bucket() const {
    return (shares.all_samples() + P::kBlocks - 1) / P::kBlocks;
  }

  /// The samples of all blocks. A barrier.
  __device__ __forceinline__ void load_samples(Key* s_samples, unsigned pitch) const {
    const unsigned words = ceil_div(P::kBlocks * pitch * sizeof(Key), sizeof(uint4));
    for_each_item<P>(words, [&](unsigned i) {
      start_copy(reinterpret_cast<uint4*>(s_samples)[i],
                 reinterpret_cast<uint4*>(space.samples)[i]);
    });
    wait_for_copies();
    __syncthreads();
  }
};

/// Sorts `data`, whose keys are ordered as `map` says, with `exchange` as the buffer in between.
template <class Team, class P, class Map>
__global__ void __launch_bounds__(P::kThreads, 1)
    sort_by_team(typename P::Data data, typename P::Data exchange, TeamSpace<typename P::Key> space,
                 Shares shares, Map map, typename P::State state) {
  hold<typename P::Less>(state);
  __shared__ unsigned s_rank[P::kMostSamples];
  __shared__ Pieces s_pieces;
  const Team team;
  const unsigned mine = team.rank();
  const TeamBlock<P, Map> block{
      data, exchange, space, shares, map, mine, shares.first(mine), shares.count(mine)};

  block.load_tile();
  block.sort_and_sample();
  auto sampled = team.group.barrier_arrive();
  for_each_item<P>(shares.samples_a_tile(), [&](unsigned j) { s_rank[j] = 0; });
  block.hand_over_tile();
  team.group.barrier_wait(std::move(sampled));
  if (!block.is_any_unsorted()) return;

  block.find_splitters(s_rank);
  team.group.sync();
  block.cut_tile();
  team.group.sync();

  find_pieces<P::kItems>(space.cuts, shares, mine, s_pieces);
  const unsigned in_bucket = s_pieces.offset[kMostPieces];
  const bool merges = block.merges_pieces(s_pieces);
  block.gather_bucket(s_pieces, in_bucket, merges);
  if (merges) {
    merge_pieces<P>(s_pieces, P::kBlocks);
  } else {
    sort_loaded_tile<P>(in_bucket);
  }
  block.store_bucket(s_pieces, in_bucket);
}

/// Sorts `data` by a team with plan P; false, and nothing done, if it can't hold n items or the
/// current device can't hold it.
template <class P, class Map>
bool sort_by_team_of(typename P::Data data, typename P::Data alternate, std::size_t n,
                     std::byte* workspace, cudaStream_t stream, Map map,
                     const typename P::State& state) {
  if (n > P::kMostItems) return false;
  const auto kernel = sort_by_team<GridTeam, P, Map>;
  const Grid grid{P::kBlocks, P::kThreads, P::kSharedBytesOfTeam};
  if (device_attribute(cudaDevAttrMultiProcessorCount) < P::kBlocks ||
      device_attribute(cudaDevAttrCooperativeLaunch) == 0 ||
      !is_runnable(TeamKind::grid, kernel, grid)) {
    return false;
  }
  const Shares shares(n, P::kBlocks, P::Tile::kCount);
  Layout layout(workspace);
  const TeamSpace<typename P::Key> space(layout, shares);
  gpu::launch_team("sort_by_team", TeamKind::grid, kernel, grid, stream, data, alternate, space,
                   shares, map, state);
  return true;
}

}  // namespace sortlab::gpu::merge::multiway
