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
#include "gpu/primitives/launch/workspace.cuh"

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

/// What the blocks of a team tell each other.
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

}  // namespace sortlab::gpu::merge::multiway
