// The second half of a sort by a team of blocks (team.cuh): a bucket, which is a stretch of
// each sorted tile. Long stretches are merged, two and two, in log2(tiles) levels.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/merge/multiway/team_cut.cuh"
#include "gpu/primitives/block/merge_sort/merge_chunk.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::merge::multiway {

constexpr unsigned kMostPieces = 128;

/// The stretches of all tiles that make up a bucket. Two neighbours share whole slots of the block's
/// tile: the first lies upwards from their beginning, the second downwards from their end.
struct Pieces {
  unsigned offset[kMostPieces + 1];    // of each stretch in the bucket; the same where one is empty
  unsigned slot[kMostPieces / 2 + 1];  // the first slot of each two stretches
  unsigned from[kMostPieces];  // what to add to an item's place to get its place in all tiles
  unsigned counts[kMostPieces / kWarp];
  unsigned slots[kMostPieces / kWarp];
  unsigned lows[kMostPieces / kWarp];
  unsigned begin;  // of the bucket in the output

  /// The stretch that has item number i of the bucket.
  __device__ __forceinline__ unsigned piece_of(unsigned i) const {
    unsigned piece = 0;
#pragma unroll
    for (unsigned step = kMostPieces / 2; step > 0; step /= 2) {
      if (offset[piece + step] <= i) piece += step;
    }
    return piece;
  }
  /// Where item number i of the bucket, of the stretch `piece`, lies in the tile's slots.
  template <unsigned kItems>
  __device__ __forceinline__ unsigned position_of(unsigned i, unsigned piece) const {
    const unsigned in_piece = i - offset[piece];
    return piece % 2 == 0 ? slot[piece / 2] * kItems + in_piece
                          : slot[piece / 2 + 1] * kItems - 1 - in_piece;
  }
  /// The two stretches that have slot number s.
  __device__ __forceinline__ unsigned pair_of(unsigned s) const {
    unsigned pair = 0;
#pragma unroll
    for (unsigned step = kMostPieces / 4; step > 0; step /= 2) {
      if (slot[pair + step] <= s) pair += step;
    }
    return pair;
  }
};

/// The part of a bucket that one tile has; a thread each. `to_here` sums include the tiles in front: first
/// those of the thread's warp, then all.
struct OwnPiece {
  unsigned low = 0;  // where in the tile it begins
  unsigned count = 0;
  unsigned slots = 0;  // of it and the next one, if its number is even
  unsigned counts_to_here = 0;
  unsigned slots_to_here = 0;

  /// Reads the cuts of tile number `tile` at both ends of bucket number `mine`.
  __device__ __forceinline__ void read_cuts(const unsigned* cuts, const Shares& shares,
                                            unsigned mine, unsigned tile) {
    if (mine > 0) low = __ldcg(&cuts[mine * shares.blocks + tile]);
    const unsigned high = mine + 1 < shares.blocks
                              ? __ldcg(&cuts[(mine + 1) * shares.blocks + tile])
                              : shares.count(tile);
    count = high - low;
  }

  /// Prefix sums over the lanes; the warp's sums go to s_pieces.
  template <unsigned kItems>
  __device__ __forceinline__ void scan_in_warp(unsigned tile, Pieces& s_pieces) {
    const unsigned next = __shfl_down_sync(kAllLanes, count, 1);
    if (tile % 2 == 0) slots = (count + next + kItems - 1) / kItems;
    counts_to_here = warp_inclusive_scan(count);
    slots_to_here = warp_inclusive_scan(slots);
    const unsigned lows = warp_sum(low);
    if (lane_id() == kWarp - 1) {
      s_pieces.counts[warp_id()] = counts_to_here;
      s_pieces.slots[warp_id()] = slots_to_here;
    }
    if (lane_id() == 0) s_pieces.lows[warp_id()] = lows;
  }

  /// Adds the sums of the warps in front, and writes the stretch to s_pieces.
  __device__ __forceinline__ void enter(const Shares& shares, unsigned tile, Pieces& s_pieces) {
    for (unsigned warp = 0; warp < warp_id(); ++warp) {
      counts_to_here += s_pieces.counts[warp];
      slots_to_here += s_pieces.slots[warp];
    }
    s_pieces.offset[tile + 1] = counts_to_here;
    s_pieces.from[tile] = shares.first(tile) + low - (counts_to_here - count);
    if (tile % 2 == 0) s_pieces.slot[tile / 2 + 1] = slots_to_here;
  }
};

/// Finds the stretches of bucket number `mine`; ends with a barrier.
template <unsigned kItems>
__device__ __forceinline__ void find_pieces(const unsigned* cuts, const Shares& shares,
                                            unsigned mine, Pieces& s_pieces) {
  const unsigned tile = threadIdx.x;
  OwnPiece own;
  if (tile < kMostPieces) {
    if (tile < shares.blocks) own.read_cuts(cuts, shares, mine, tile);
    own.template scan_in_warp<kItems>(tile, s_pieces);
  }
  __syncthreads();
  if (tile < kMostPieces) own.enter(shares, tile, s_pieces);
  if (tile == 0) {
    s_pieces.offset[0] = 0;
    s_pieces.slot[0] = 0;
    s_pieces.begin = 0;
    for (const unsigned lows : s_pieces.lows) s_pieces.begin += lows;
  }
  __syncthreads();
}

/// Merges the stretches of a bucket, which lie in the tile's slots, two and two.
template <class P>
__device__ __noinline__ void merge_pieces(const Pieces& s_pieces, unsigned blocks) {
  constexpr unsigned kItems = P::kItems;
  const auto tile = P::tile();
  typename P::Chunk chunk;
  const unsigned pair = s_pieces.pair_of(threadIdx.x);
  for (unsigned width = 1; width < blocks; width *= 2) {  // stretches in each of two runs
    const unsigned group = pair / width;
    const unsigned first_slot = s_pieces.slot[group * width];
    const unsigned end_slot = s_pieces.slot[group * width + width];
    const unsigned* const offset = s_pieces.offset + group * 2 * width;
    const Runs runs{first_slot * kItems, end_slot * kItems, offset[width] - offset[0],
                    offset[2 * width] - offset[width]};
    const unsigned number = threadIdx.x - first_slot;
    __syncthreads();
    const unsigned steps = merge_chunk<P>(tile, runs, number, chunk,
                                          [](unsigned mine) { return from_next_thread<P>(mine); });
    __syncthreads();
    const bool upwards = group % 2 == 0;
    if (steps > 0) {
      merge_sort::store_chunk(tile, upwards ? threadIdx.x : end_slot - 1 - number, upwards, chunk);
    }
  }
  __syncthreads();
}

}  // namespace sortlab::gpu::merge::multiway
