// The tiles of a sweep: how a block does one, their size for a number of items, and the words by which they look back.
//
// Many items are swept by tiles as large as two blocks an SM can hold. Of fewer these would leave SMs idle, so tiles are
// smaller there: about one for each block that the GPU holds, or two. A few tiles more than blocks would take a wave of their
// own: 1.1 million u64 in 269 tiles of 512 x 8, for 264 blocks, take 1.04 times as long as in 239 of 512 x 9. Of 32-bit keys one
// large tile for each SM is faster, as a tile looks back at fewer.
// measured: us, tiles of 512 x 32 and smaller ones: 1.1 million u32 77 vs 71, Zipf's law 93 vs 72; u64 (512 x 16) 135
// vs 124, 157 vs 125; u32+u32 (512 x 18) 88 vs 83, 100 vs 85; u64+u32 (512 x 13) 153 vs 152, 168 vs 154; H200,
// h200/attempts/tiles.1.txt; u32+u32 of 1.5 and 3 million, 512 x 12 and 15 rather than 18: 77 vs 86, 121 vs 134; tiles.2.txt;
// 1.1 million, Zipf's law, u32 in 1024 x 9 rather than 384 x 11 61 vs 65, u64 in 512 x 9 rather than 8 116 vs 121, 1.3 million
// u64 in 512 x 12 rather than 8 0.86 of the time; timeline.1.txt
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstdint>

#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/grid/relaxed.cuh"
#include "gpu/primitives/grid/sweep/block_rank.cuh"
#include "gpu/primitives/grid/sweep/pass_plan.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu {

// Reads from global memory after which the L2 cache shall drop the data first: it is not needed again, and leaves room
// for what is written, which the next kernel reads.

template <class T>
__device__ __forceinline__ T read_to_drop(const T* from) {
#ifdef __CUDA_ARCH__
  return __ldcs(from);
#else
  return *from;
#endif
}

/// Starts to copy 16 bytes to shared memory, to be dropped if `kDrops`. Both addresses are multiples of 16.
template <bool kDrops>
__device__ __forceinline__ void start_copy_of_16_bytes(void* s_to, const void* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (kDrops) {
    std::uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(s_to))),
                 "l"(from), "l"(policy)
                 : "memory");
    return;
  }
#endif
  __pipeline_memcpy_async(s_to, from, 16);
}

}  // namespace sortlab::gpu

namespace sortlab::gpu::sweep {

// A block's tile of a pass: how it is cut among the threads, and its shared memory.

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
      // Items that are few enough to drop what was read: one kernel instead of two.
      if (n < 1'200'000) return use(typename Tile<512, 9, 2>::DropsRead{});
      if (n < 1'620'000) return use(typename Tile<512, 12, 2, 6>::DropsRead{});
      if (n < 2'020'000 || (2'430'000 < n && n < 3'300'000)) {
        return use(typename Tile<512, 15, 2, 5>::DropsRead{});
      }
    } else {
      if (n < 2'000'000) return use(Tile<256, 13, 4, 5>{});
    }
  } else if constexpr (sizeof(Bits) == 4) {
    if (900'000 <= n && n < 1'216'000) return use(Tile<1024, 9, 1>{});
    if (n < 1'650'000) return use(Tile<384, 11, 3>{});
    if (n < 2'800'000) return use(Tile<512, 16, 2>{});
  } else {
    if (n < 1'216'000) return use(typename Tile<512, 9, 2>::DropsRead{});
    if (n < 1'620'000) return use(typename Tile<512, 12, 2>::DropsRead{});
  }
  return use(LargeTile<Bits, Value>{});
}

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

struct TileWords {
  static constexpr unsigned kInclusive = 1u << 31;
  static constexpr unsigned kTag = 1u << 30;
  static constexpr unsigned kCount = kTag - 1;
  static_assert(kCount == Portions::kMostItems);

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
