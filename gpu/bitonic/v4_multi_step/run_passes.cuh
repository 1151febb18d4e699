// Launches the passes of plan.hpp.
#pragma once

#include <algorithm>
#include <bit>

#include "gpu/bitonic/v4_multi_step/kernels.cuh"
#include "gpu/primitives/launch/kernel.cuh"

namespace sortlab::gpu::bitonic::v4_multi_step {

/// Columns of 128 bytes of items in the tile kernels and of 256 in the column kernels, tiles of
/// 64 KB.
template <class Key, class Value>
struct ChooseShape {
  static constexpr std::size_t kBytes = bytes_of_items<Key, Value>(1);
  static constexpr unsigned kLess = std::bit_width(kBytes - 1) - 2;  // 0, 1, 2 for 4, 8, 12 bytes
  using Type = Shape<14 - kLess, 5 - kLess, 6 - kLess>;
};
template <class Key, class Value>
using ShapeFor = typename ChooseShape<Key, Value>::Type;

/// For sequences so short that the latency of one block decides: columns of 8 items, so that there
/// are more warps than in the tiles of long sequences.
using ShortShape = Shape<11, 3, 3>;

/// Kind::sort_tiles. A sequence shorter than a tile gets only as many threads as it needs.
template <class Shape, class Key, class Value>
void launch_sort_tiles(Items<Key, Value> data, std::size_t n, KeyMap<Key> map_in,
                       KeyMap<Key> map_out, cudaStream_t stream) {
  const auto needed = std::max<std::size_t>(kWarp, std::bit_ceil(n) / Shape::kColumnItems);
  launch("sort_tiles", sort_tiles<Shape, Key, Value>,
         {ceil_div(n, Shape::kTileItems),
          static_cast<unsigned>(std::min<std::size_t>(needed, Shape::kTileThreads)),
          bytes_of_tile<Shape, Key, Value>()},
         stream, data, n, map_in, map_out);
}

/// `map_in` is for the first pass, `map_out` for the last; between them the keys are ordered bits.
template <class Shape, class Key, class Value>
void launch_pass(Pass pass, Items<Key, Value> data, std::size_t n, KeyMap<Key> map_in,
                 KeyMap<Key> map_out, cudaStream_t stream) {
  const std::size_t stride = std::size_t{1} << pass.low_bit;
  const std::size_t column_count = ceil_div(n, stride << Shape::kWideBits) * stride;
  const Grid columns{ceil_div(column_count, kColumnThreads), kColumnThreads};
  const Strides strides{stride, stride};

  switch (pass.kind) {
    case Kind::sort_tiles:
      launch_sort_tiles<Shape>(data, n, map_in, map_out, stream);
      break;
    case Kind::fold_columns:
      launch("fold_columns", do_columns<Steps::fold, Shape, Key, Value>, columns, stream, data, n,
             pass.stage, pass.low_bit, strides);
      break;
    case Kind::merge_columns:
      launch("merge_columns", do_columns<Steps::merge, Shape, Key, Value>, columns, stream, data, n,
             pass.stage, pass.low_bit, strides);
      break;
    case Kind::merge_tiles:
      launch(
          "merge_tiles", merge_tiles<Shape, Key, Value>,
          {ceil_div(n, Shape::kTileItems), Shape::kTileThreads, bytes_of_tile<Shape, Key, Value>()},
          stream, data, n, pass.stage, map_out);
      break;
  }
}

/// Sorts at most a tile.
template <class Shape, class Key, class Value>
void sort_one_tile(Items<Key, Value> data, std::size_t n, KeyMap<Key> map, cudaStream_t stream) {
  if (n < 2) return;
  if (n <= ShortShape::kTileItems) {
    launch_sort_tiles<ShortShape>(data, n, map, map, stream);
  } else {
    launch_sort_tiles<Shape>(data, n, map, map, stream);
  }
}

/// Sorts by the integers that `map` turns the keys into.
template <class Shape, class Key, class Value>
void run_passes(Items<Key, Value> data, std::size_t n, KeyMap<Key> map, cudaStream_t stream) {
  if (n <= ShortShape::kTileItems) {
    sort_one_tile<Shape>(data, n, map, stream);
    return;
  }
  const auto passes = passes_over(n, {Shape::kTileBits, Shape::kWideBits});
  for (const Pass& pass : passes) {
    const bool is_last = &pass == &passes.back();
    launch_pass<Shape>(pass, data, n, map, is_last ? map : KeyMap<Key>{}, stream);
  }
}

}  // namespace sortlab::gpu::bitonic::v4_multi_step
