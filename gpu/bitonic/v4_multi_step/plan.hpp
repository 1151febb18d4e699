// The bitonic network over n items, cut into passes over global memory: a list that is made before
// the sort runs.
//
// A stage s merges runs of 2^(s-1) items into runs of 2^s by s steps, over the distances
// 2^(s-1), ..., 2, 1: one step per bit of the index, from the top. A pass takes several bits at
// once:
//
//     bit   s-1 ........ | ........ | tile_bits-1 ................ 0
//            fold          merge      merge_tile
//
// Sorting a tile takes the first tile_bits stages together. The bits of a pass may overlap with
// those of the pass before: a repeated step changes nothing, because all items of the lower half
// are then below all of the upper half. So all passes of a kind are equally wide.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace sortlab::gpu::bitonic::v4_multi_step {

enum class Kind : int {
  sort_tiles,     // the stages 1, ..., tile_bits in each tile
  fold_columns,   // the first step of a stage, which mirrors, and the next column_bits - 1
  merge_columns,  // column_bits steps, the last over the distance 2^low_bit
  merge_tiles,    // the last tile_bits steps of a stage in each tile
};

struct Pass {
  Kind kind;
  unsigned stage;    // its runs are of 2^stage items
  unsigned low_bit;  // the last step's distance is 2^low_bit
};

/// How many bits of the index a pass holds; column_bits <= tile_bits.
struct Widths {
  unsigned tile_bits;
  unsigned column_bits;
};

inline std::vector<Pass> passes_over(std::size_t n, Widths widths) {
  const auto [tile, column] = widths;
  std::vector<Pass> passes;
  if (n > 1) passes.push_back({Kind::sort_tiles, tile, 0});
  for (unsigned stage = tile + 1; n > 1 && (n - 1) >> (stage - 1) != 0; ++stage) {
    unsigned low_bit = stage - column;
    passes.push_back({Kind::fold_columns, stage, low_bit});
    while (low_bit > tile) {
      low_bit = std::max(tile, low_bit - std::min(low_bit, column));
      passes.push_back({Kind::merge_columns, stage, low_bit});
    }
    passes.push_back({Kind::merge_tiles, stage, 0});
  }
  return passes;
}

}  // namespace sortlab::gpu::bitonic::v4_multi_step
