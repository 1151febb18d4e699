// The kernels of the passes in plan.hpp over tiles; columns.cuh has the others.
#pragma once

#include <cstddef>

#include "gpu/bitonic/v4_multi_step/columns.cuh"
#include "gpu/bitonic/v4_multi_step/plan.hpp"
#include "gpu/bitonic/v4_multi_step/tile_of_columns.cuh"
#include "gpu/primitives/block/tile.cuh"

namespace sortlab::gpu::bitonic::v4_multi_step {

/// The dynamic shared memory of a tile.
template <class Shape, class Key, class Value>
constexpr std::size_t bytes_of_tile() {
  return bytes_of_items<Key, Value>(TileOfColumns<Shape, Key, Value>::slots());
}

/// `count` items that all threads of the block work on.
template <class Shape, class Key, class Value>
__device__ __forceinline__ auto tile_of_all_threads(unsigned count) {
  using Tile = TileOfColumns<Shape, Key, Value>;
  const auto s_slots = items_at<Key, Value>(dynamic_shared(), Tile::slots());
  return Tile(s_slots, count, threadIdx.x, blockDim.x);
}

/// Kind::sort_tiles. A sequence shorter than a tile may be sorted by fewer threads, 2^i of them.
template <class Shape, class Key, class Value>
__global__ void __launch_bounds__(Shape::kTileThreads, kThreadsAnSm / Shape::kTileThreads)
    sort_tiles(Items<Key, Value> data, std::size_t n, KeyMap<Key> map_in, KeyMap<Key> map_out) {
  const std::size_t first = std::size_t{blockIdx.x} * Shape::kTileItems;
  const auto tile = data.from(first);
  tile_of_all_threads<Shape, Key, Value>(count_in_tile(n, first, Shape::kTileItems))
      .sort(tile, tile, map_in, map_out);
}

/// Kind::merge_tiles.
template <class Shape, class Key, class Value>
__global__ void __launch_bounds__(Shape::kTileThreads, kThreadsAnSm / Shape::kTileThreads)
    merge_tiles(Items<Key, Value> data, std::size_t n, unsigned stage, KeyMap<Key> map_out) {
  const std::size_t first = std::size_t{blockIdx.x} * Shape::kTileItems;
  if (!has_upper_half(first, n, stage)) return;
  tile_of_all_threads<Shape, Key, Value>(count_in_tile(n, first, Shape::kTileItems))
      .merge(data.from(first), map_out);
}

}  // namespace sortlab::gpu::bitonic::v4_multi_step
