// The tiles of a sweep for a number of items. Many items are swept by tiles as large as two blocks an SM can hold. Of
// fewer these would leave SMs idle, so tiles are smaller there: about one for each block that the GPU holds.
// measured: us, tiles of 512 x 32 and smaller ones: 1.1 million u32 77 vs 71, Zipf's law 93 vs 72; u64 (512 x 16) 135
// vs 124, 157 vs 125; u32+u32 (512 x 18) 88 vs 83, 100 vs 85; u64+u32 (512 x 13) 153 vs 152, 168 vs 154; H200,
// h200/attempts/tiles.1.txt
#pragma once

#include "gpu/primitives/grid/sweep/block_rank.cuh"
#include "gpu/primitives/grid/sweep/tile_space.cuh"

namespace sortlab::gpu::sweep {

/// kItems a thread, of which pairs are written kWrite at a time, as many as registers hold.
template <unsigned kThreads, unsigned kItems, unsigned kBlocksAnSm, unsigned kWrite = kItems>
using Tile = TilePolicy<ByAtomics, kThreads, kItems, kBlocksAnSm, kWrite>;

/// Large tiles. 18 items rather than 16: keys that spread evenly (as those in order do in some passes) would give every
/// bin 512 x 16 / 256 = 32 places, a row of shared-memory banks, and a warp that writes to 32 bins would write to one bank.
/// An odd number spreads them over 16 banks, 18 spread them over 8.
template <class Bits, class Value>
using LargeTile = std::conditional_t<
    Items<Bits, Value>::kPairs,
    std::conditional_t<sizeof(Bits) == 4, Tile<512, 18, 2, 6>, Tile<512, 13, 2, 5>>,
    Tile<512, sizeof(Bits) == 4 ? 32 : 16, 2>>;

/// Calls use(tile) with the tile for n items.
template <class Bits, class Value, class Use>
auto with_tile(std::size_t n, Use use) {
  if constexpr (Items<Bits, Value>::kPairs) {
    if constexpr (sizeof(Bits) == 4) {
      if (n < 1'400'000) return use(Tile<512, 9, 2>{});
    } else {
      if (n < 2'000'000) return use(Tile<256, 13, 4, 5>{});
    }
  } else if constexpr (sizeof(Bits) == 4) {
    if (n < 1'650'000) return use(Tile<384, 11, 3>{});
    if (n < 2'800'000) return use(Tile<512, 16, 2>{});
  } else {
    if (n < 1'500'000) return use(Tile<512, 8, 2>{});
  }
  return use(LargeTile<Bits, Value>{});
}

}  // namespace sortlab::gpu::sweep
