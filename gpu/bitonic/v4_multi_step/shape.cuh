// How a sort is cut into tiles and columns.
#pragma once

#include <cstddef>

#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::bitonic::v4_multi_step {

/// How a sort of these items is cut. A thread of the tile kernels holds 2^kColumnBits items, one of
/// the column kernels 2^kWideBits.
template <unsigned kTile, unsigned kColumn, unsigned kWide>
struct Shape {
  static constexpr unsigned kTileBits = kTile;
  static constexpr unsigned kColumnBits = kColumn;
  static constexpr unsigned kWideBits = kWide;
  static constexpr unsigned kTileItems = 1u << kTile;
  static constexpr unsigned kColumnItems = 1u << kColumn;
  static constexpr unsigned kTileThreads = kTileItems / kColumnItems;
  static constexpr unsigned kWarpItems = kWarp * kColumnItems;
};

/// The threads that an SM holds at 64 registers each.
constexpr unsigned kThreadsAnSm = 1024;

/// Whether the run of 2^stage items around `index` has an upper half. If not, it is the sequence's
/// last run and already sorted.
__device__ __forceinline__ bool has_upper_half(std::size_t index, std::size_t n, unsigned stage) {
  const std::size_t begin = index >> stage << stage;
  return begin + (std::size_t{1} << (stage - 1)) < n;
}

}  // namespace sortlab::gpu::bitonic::v4_multi_step
