// A block's tile of a pass: how it is cut among the threads, and its shared memory.
#pragma once

#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/grid/sweep/digit.cuh"
#include "gpu/primitives/grid/sweep/pass_plan.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::sweep {

/// How a block does a tile. With kDropsRead the L2 cache drops a tile's items first, once they are read.
template <class RankT, unsigned kThreadsT, unsigned kItemsT, unsigned kBlocksT,
          unsigned kWriteT = kItemsT, std::size_t kMostCounterBytesT = kCounterBytes,
          bool kDropsReadT = false>
struct TilePolicy {
  using Rank = RankT;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;    // a thread
  static constexpr unsigned kBlocks = kBlocksT;  // an SM
  static constexpr unsigned kLookAtOnce = 4;
  static constexpr unsigned kWriteAtOnce = kWriteT;                     // items a thread
  static constexpr std::size_t kMostCounterBytes = kMostCounterBytesT;  // of the plan
  static constexpr bool kDropsRead = kDropsReadT;
  static constexpr unsigned kTile = kThreads * kItems;
  static constexpr unsigned kWarps = kThreads / kWarp;
  static_assert(kThreads >= kBins, "a thread a bin");
  static_assert(kTile <= 1u << 16, "places of a tile are 16-bit numbers");

  using DropsRead =
      TilePolicy<RankT, kThreadsT, kItemsT, kBlocksT, kWriteT, kMostCounterBytesT, true>;
};

/// The block's shared memory.
template <class Policy, class Bits, class Value>
struct TileSpace {
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;
  static constexpr std::size_t kCountBytes = Policy::kWarps * kBins * sizeof(unsigned);
  static constexpr std::size_t kRunBytes = kBins * sizeof(void*);
  static constexpr std::size_t kOriginBytes = kPairs ? sizeof(std::uint16_t) : 0;
  static constexpr std::size_t kBytes = kCountBytes + (kPairs ? 2 : 1) * kRunBytes +
                                        bytes_of_items<Bits, Value>(Policy::kTile) +
                                        Policy::kTile * kOriginBytes;
  Bits* keys;                 // by bin
  std::uint16_t* origins;     // of pairs: where in the tile the item at this place was
  Value* values;              // each in the slot of where it was
  unsigned (*counts)[kBins];  // of each warp; later where its items of a bin go in `keys`
  // Where the items of a bin would go in the array if the bin began at place 0 of `items`.
  Bits** key_runs;
  Value** value_runs;

  static __device__ TileSpace in(std::byte* shared) {
    TileSpace space;
    space.counts = reinterpret_cast<unsigned(*)[kBins]>(shared);
    shared += kCountBytes;
    space.key_runs = reinterpret_cast<Bits**>(shared);
    shared += kRunBytes;
    if constexpr (kPairs) {
      space.value_runs = reinterpret_cast<Value**>(shared);
      shared += kRunBytes;
    }
    const auto items = items_at<Bits, Value>(shared, Policy::kTile);
    space.keys = items.keys;
    if constexpr (kPairs) {
      space.values = items.values;
      space.origins = reinterpret_cast<std::uint16_t*>(items.values + Policy::kTile);
    }
    return space;
  }

  /// Where in `values` the item's value lies: 16 bytes change places within 128. Items a power of
  /// two apart, as a bin's are when keys are in order, would otherwise meet in one bank.
  static __device__ unsigned slot_of(unsigned origin) { return origin ^ (origin >> 6 & 0x1c); }

  /// Whether the tile is out of order between two neighbours: by the digits from the first pass
  /// to this one, pairs by this one's and where they were.
  __device__ bool is_disorder(unsigned place, unsigned next, unsigned shift,
                              unsigned first_shift) const {
    if constexpr (kPairs) {
      const auto rank = [&](unsigned i) { return digit_at(keys[i], shift) << 16 | origins[i]; };
      return rank(place) > rank(next);
    } else {
      const auto so_far = digits_mask<Bits>(first_shift, shift);
      return (keys[place] & so_far) > (keys[next] & so_far);
    }
  }
  __device__ void swap(unsigned a, unsigned b) const {
    const Bits key = keys[a];
    keys[a] = keys[b];
    keys[b] = key;
    if constexpr (kPairs) {
      const std::uint16_t origin = origins[a];
      origins[a] = origins[b];
      origins[b] = origin;
    }
  }
};

/// Puts a tile in order in which a few neighbours at most are not.
template <class Space>
__device__ __noinline__ void repair_order(Space space, unsigned count, unsigned shift,
                                          unsigned first_shift) {
  bool swapped = true;
  while (__syncthreads_or(swapped)) {
    swapped = false;
    for (unsigned odd = 0; odd < 2; ++odd) {
      for (unsigned i = 2 * threadIdx.x + odd; i + 1 < count; i += 2 * blockDim.x) {
        if (space.is_disorder(i, i + 1, shift, first_shift)) {
          space.swap(i, i + 1);
          swapped = true;
        }
      }
      __syncthreads();
    }
  }
}

}  // namespace sortlab::gpu::sweep
