// Decoupled look-back: the counts of all tiles before this one, in one sweep over the array.
//
// Each tile has one word per bin. It first holds the tile's own count (aggregate), then the count
// of this tile and all before it (inclusive). A tile adds up the words to its left until it meets
// an inclusive one. Tiles are numbered in the order in which their blocks begin to run. So every
// tile to the left is done or running, and no block waits for one that can't start.
//
//     tile      0    1    2    3    4         i inclusive, a aggregate, . nothing yet
//     word     i7  i12   a4   a6    .         tile 4: 6 + 4 + 12 = 22
//
// A word is 32 bits: 30 of count, whether it is inclusive, and a tag. The tag changes with each
// sweep, so the words of the previous sweep count as empty, and words are cleared once per sort.
// Source: Merrill and Garland, single-pass parallel prefix scan with decoupled look-back (2016).
#pragma once

#include "gpu/primitives/grid/relaxed.cuh"
#include "gpu/primitives/grid/sweep/digit.cuh"

namespace sortlab::gpu::sweep {

struct TileWords {
  static constexpr unsigned kInclusive = 1u << 31;
  static constexpr unsigned kTag = 1u << 30;
  static constexpr unsigned kCount = kTag - 1;

  unsigned* words;  // kBins for each tile
  unsigned tag;     // kTag or 0: that of this sweep

  __device__ unsigned* at(unsigned tile, unsigned bin) const {
    return words + std::size_t{tile} * kBins + bin;
  }
  __device__ void publish_aggregate(unsigned tile, unsigned bin, unsigned count) const {
    store_relaxed(at(tile, bin), count | tag);
  }
  __device__ void publish_inclusive(unsigned tile, unsigned bin, unsigned count) const {
    store_relaxed(at(tile, bin), count | kInclusive | tag);
  }

  /// How many items of `bin` all tiles before `tile` hold. Reads kAtOnce words at a time, as each
  /// read takes as long as several.
  template <unsigned kAtOnce>
  __device__ unsigned count_before(unsigned tile, unsigned bin) const {
    unsigned sum = 0;
    unsigned left = tile;  // the tiles that are still to be counted
    while (left > 0) {
      unsigned word[kAtOnce];
#pragma unroll
      for (unsigned j = 0; j < kAtOnce; ++j) {
        word[j] = j < left ? load_relaxed(at(left - 1 - j, bin)) : kInclusive | tag;
      }
      unsigned counted = 0;
      bool goes_on = true;
#pragma unroll
      for (unsigned j = 0; j < kAtOnce; ++j) {
        goes_on = goes_on && (word[j] & kTag) == tag;
        if (goes_on) {
          sum += word[j] & kCount;
          ++counted;
          if (word[j] & kInclusive) return sum;
        }
      }
      left -= counted;
    }
    return sum;
  }
};

}  // namespace sortlab::gpu::sweep
