// The tiles of an MSD radix sort's buckets. Mode says what a block does with one.
#pragma once

#include "gpu/primitives/block/msd/keys.cuh"
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

// The memory of a block that scatters tiles of an MSD radix sort: keys in registers, loaded as
// vectors if possible, and in shared memory by bin.

/// Shared memory of a block that scatters a tile of kTile keys, with `kSlots` slots for each of
/// kBins bins, and more for each if there are fewer bins.
template <class BitsT, unsigned kThreadsT, unsigned kItemsT, unsigned kBinsT = kMaxBins,
          unsigned kSlots = 0>
struct ScatterShared {
  using Bits = BitsT;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;  // a thread
  static constexpr unsigned kBins = kBinsT;    // at most
  static constexpr unsigned kBinsAThread = kBins > kThreads ? kBins / kThreads : 1;
  static_assert(kThreads * kItems < 1u << 16);

  static constexpr unsigned kSlotKeys = kBins * kSlots;
  Vector<Bits> keys[std::max(kThreads * kItems, kSlotKeys) / kVector<Bits>];
  Count to[kBins];         // where a bin's keys go, minus their place in `keys`
  unsigned counts[kBins];  // then where in `keys` each bin starts
  unsigned warp_sums[kThreads / kWarp];
  TileTask task[2];  // the current tile, and the next one

  __device__ Bits* tile() { return keys[0].key; }
};

/// Thread t's keys of a tile, unchanged. In a full tile it loads vectors of neighbours.
template <unsigned kThreads, unsigned kItems, class Bits>
__device__ __forceinline__ void load_raw_tile(const Bits* from, unsigned count, bool is_full,
                                              Bits (&key)[kItems]) {
  constexpr unsigned kV = kVector<Bits>;
  if (is_full) {
#pragma unroll
    for (unsigned u = 0; u < kItems / kV; ++u) {
      const auto v = reinterpret_cast<const Vector<Bits>*>(from)[u * kThreads + threadIdx.x];
#pragma unroll
      for (unsigned k = 0; k < kV; ++k) key[u * kV + k] = v.key[k];
    }
  } else {
    const int left = static_cast<int>(count) - static_cast<int>(threadIdx.x);
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      key[u] = static_cast<int>(u * kThreads) < left ? from[u * kThreads + threadIdx.x] : Bits{0};
    }
  }
}

/// Whether a tile's keys are loaded as vectors.
template <class Shared, class Bits>
__device__ __forceinline__ bool is_full_tile(const Bits* from, unsigned count) {
  return count == Shared::kThreads * Shared::kItems &&
         reinterpret_cast<std::uintptr_t>(from) % sizeof(Vector<Bits>) == 0;
}

}  // namespace sortlab::gpu::msd
