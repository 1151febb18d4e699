// The first half of a sort by a team of blocks (team.cuh): how the input is shared out, and
// where each block's sorted tile is cut into buckets, by samples at even distances.
//
// A bucket has q = floor(share / stride) samples, or fewer. Each ends a stretch of `stride` items of
// its tile, and behind the last of them a tile may have stride - 1 more. So a bucket has at most
//     q * stride + blocks * (stride - 1) <= share + blocks * (stride - 1)
// items, whatever the input: the stride is chosen so that these fit a block's tile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/utils.hpp"
#include "gpu/primitives/block/merge_sort/plan.cuh"
#include "gpu/primitives/block/merge_sort/tile.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::merge::multiway {

using namespace merge_sort;

/// Samples of a tile that make buckets even enough: with 16, the largest one takes longer to sort;
/// with 64, ranking them takes longer (u32, 2^14 to 2^17, H200).
constexpr unsigned kEnoughSamples = 32;

/// How n items are shared out: `share` items a block, a sample at the end of each `stride` of them.
struct Shares {
  unsigned n;
  unsigned blocks;
  unsigned share;
  unsigned stride;

  /// `tile` is what a block can sort; twice a share, or more.
  Shares(std::size_t n_, unsigned blocks_, unsigned tile)
      : n(static_cast<unsigned>(n_)),
        blocks(blocks_),
        share(static_cast<unsigned>(ceil_div(n, blocks))),
        stride(smaller(1 + (tile - share) / blocks, larger(1u, share / kEnoughSamples))) {}

  /// The most samples of a tile: fewer than there are blocks, or enough.
  static constexpr unsigned most_samples(unsigned blocks) {
    return larger(blocks, 2 * kEnoughSamples);
  }

  __host__ __device__ unsigned samples_a_tile() const { return share / stride; }
  __device__ __forceinline__ unsigned first(unsigned tile) const { return min(tile * share, n); }
  __device__ __forceinline__ unsigned count(unsigned tile) const {
    return min(share, n - first(tile));
  }
  __device__ __forceinline__ unsigned samples(unsigned tile) const { return count(tile) / stride; }
  __device__ __forceinline__ unsigned all_samples() const {
    const unsigned whole = n / share;
    return whole * samples_a_tile() + (n - whole * share) / stride;
  }
};

/// The item behind which a bucket ends: number end - 1 of a tile.
template <class Key>
struct Splitter {
  Key key;
  unsigned tile;
  unsigned end;
};

/// What the blocks of a team exchange.
template <class Key>
struct TeamSpace {
  Key* samples;              // of each tile
  Splitter<Key>* splitters;  // in front of each bucket but the first
  unsigned* cuts;            // [bucket][tile]: where in the sorted tile the bucket begins
  unsigned* unsorted;        // of each tile: whether it, or the step to the next, is out of order

  TeamSpace(Layout& layout, Shares shares)
      : samples(layout.take<Key>(std::size_t{shares.blocks} * shares.samples_a_tile())),
        splitters(layout.take<Splitter<Key>>(shares.blocks)),
        cuts(layout.take<unsigned>(shares.blocks * shares.blocks)),
        unsorted(layout.take<unsigned>(shares.blocks)) {}
};

/// How many samples of a few tiles come before something, in all, as is_before(k, sample) says: of
/// each tile `count`, at least 1, from s_samples[begins[k]] on. The searches go on side by side.
template <unsigned kTiles, class Key, class IsBefore>
__device__ __forceinline__ unsigned samples_before(const Key* s_samples,
                                                   const unsigned (&begins)[kTiles],
                                                   const bool (&counts)[kTiles], unsigned count,
                                                   IsBefore is_before) {
  unsigned at[kTiles];
#pragma unroll
  for (unsigned k = 0; k < kTiles; ++k) at[k] = begins[k];
  for (; count > 1; count -= count / 2) {
    const Key* const s_last = s_samples + count / 2 - 1;
#pragma unroll
    for (unsigned k = 0; k < kTiles; ++k) {
      if (is_before(k, s_last[at[k]])) at[k] += count / 2;
    }
  }
  unsigned before = 0;
#pragma unroll
  for (unsigned k = 0; k < kTiles; ++k) {
    if (is_before(k, s_samples[at[k]])) ++at[k];
    before += counts[k] ? at[k] - begins[k] : 0;
  }
  return before;
}

/// How many samples of a few whole tiles, `groups` apart from number `first` on, come before `key`, a
/// sample of tile number `mine`. Among equals the samples of tiles in front of that one come first.
template <class Less, unsigned kTiles, class Key>
__device__ __forceinline__ unsigned samples_before_key(const Key* s_samples, const Key& key,
                                                       unsigned mine, unsigned first,
                                                       unsigned groups, unsigned whole,
                                                       unsigned pitch) {
  const auto in_front = [&](unsigned, const Key& theirs) { return !Less{}(key, theirs); };
  const auto behind = [&](unsigned, const Key& theirs) { return Less{}(theirs, key); };
  unsigned begins[kTiles];
  bool counts[kTiles];
#pragma unroll
  for (unsigned k = 0; k < kTiles; ++k) {
    const unsigned tile = first + k * groups;
    counts[k] = tile < whole && tile != mine;
    begins[k] = min(tile, whole - 1) * pitch;
  }
  if (first > mine) return multiway::samples_before(s_samples, begins, counts, pitch, behind);
  if (first + (kTiles - 1) * groups < mine) {
    return multiway::samples_before(s_samples, begins, counts, pitch, in_front);
  }
  return multiway::samples_before(
      s_samples, begins, counts, pitch, [&](unsigned k, const Key& theirs) {
        return first + k * groups < mine ? in_front(k, theirs) : behind(k, theirs);
      });
}

/// Counts, for each sample of tile number `mine`, those of all tiles that come before it, and adds
/// them up in s_rank, which is zero. Each thread has one own sample, and some of the tiles.
template <class P>
__device__ __forceinline__ void rank_samples(const typename P::Key* s_samples, const Shares& shares,
                                             unsigned mine, unsigned* s_rank) {
  using Key = typename P::Key;
  using Less = typename P::Less;
  constexpr unsigned kTiles = 4;
  const unsigned pitch = shares.samples_a_tile();
  const unsigned groups = max(P::kThreads / pitch, 1u);
  const unsigned group = threadIdx.x / pitch;
  const unsigned whole = shares.n / shares.share;
  const unsigned rest = shares.all_samples() - whole * pitch;  // in the tile behind the whole ones
  if (group >= groups) return;
  for (unsigned own = threadIdx.x % pitch; own < shares.samples(mine); own += P::kThreads) {
    const Key key = s_samples[mine * pitch + own];
    unsigned before = group == 0 ? own : 0;
    for (unsigned first = group; first < whole; first += kTiles * groups) {
      before += samples_before_key<Less, kTiles>(s_samples, key, mine, first, groups, whole, pitch);
    }
    if (group == 0 && rest > 0 && mine != whole) {
      before += samples_before<1>(s_samples, {whole * pitch}, {true}, rest,
                                  [&](unsigned, const Key& theirs) { return Less{}(theirs, key); });
    }
    atomicAdd(&s_rank[own], before);
  }
}

/// How many of the block's `count` sorted items, tile number `mine`, come before the bucket that
/// the splitter ends is over.
template <class P>
__device__ __forceinline__ unsigned items_up_to(Splitter<typename P::Key> splitter,
                                                typename P::Tile tile, unsigned count,
                                                unsigned mine) {
  using Less = typename P::Less;
  if (splitter.tile == mine) return splitter.end;
  unsigned found = 0;
  for (unsigned step = P::Tile::kCount / 2; step > 0; step /= 2) {
    const unsigned next = found + step;
    if (next <= count) {
      const auto key = tile.key_at(next - 1);
      const bool is_before =
          mine < splitter.tile ? !Less{}(splitter.key, key) : Less{}(key, splitter.key);
      if (is_before) found = next;
    }
  }
  return found;
}

// The second half of a sort by a team of blocks (team.cuh): a bucket, which is a stretch of
// each sorted tile. Long stretches are merged, two and two, in log2(tiles) levels.

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
