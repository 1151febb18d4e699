// The tiles of an MSD radix sort's buckets. Mode says what a block does with one.
#pragma once

#include "gpu/primitives/block/msd/bins.cuh"
#include "gpu/primitives/grid/msd/plan.cuh"

namespace sortlab::gpu::msd {

/// A tile: places [begin, end) of the array, all of one bucket.
struct Tile {
  std::size_t begin;
  std::size_t end;
};

__device__ inline Tile tile_of(const Plan& plan, const Bucket& bucket, unsigned tile) {
  const std::size_t window = bucket.begin / plan.tile + (tile - bucket.first_tile);
  const std::size_t begin = window * plan.tile;
  const std::size_t end = begin + plan.tile;
  return {begin > bucket.begin ? begin : bucket.begin, end < bucket.end ? end : bucket.end};
}

template <class Bits>
__device__ __forceinline__ KeyDigit<Bits> digit_of(const Bucket& bucket) {
  return {static_cast<Bits>(bucket.low), bucket.shift()};
}

/// A tile and its bucket, planned.
struct TileTask {
  Bucket bucket;
  Tile tile;

  __device__ unsigned count() const { return static_cast<unsigned>(tile.end - tile.begin); }
};

/// Tile t of the level, if there is one.
__device__ inline void find_task(const Plan& plan, unsigned number, unsigned t, TileTask& s_task) {
  const Level level = plan.level(number);
  if (t < plan.counters[number].tiles) {
    s_task.bucket = level.buckets[level.tile_bucket[t]];
    s_task.tile = tile_of(plan, s_task.bucket, t);
  } else {
    s_task.bucket.mode = Mode::nothing;
  }
}

}  // namespace sortlab::gpu::msd
