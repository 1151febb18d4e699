// One pass of the sort: every tile of the array is split by a digit, and its bins are written where
// the bins of the tiles before end.
#pragma once

#include "gpu/primitives/tile.cuh"
#include "gpu/radix/block_rank.cuh"
#include "gpu/radix/look_back.cuh"
#include "gpu/radix/pass_plan.cuh"

namespace sortlab::gpu {

/// How a block does a tile.
template <class RankT, unsigned kThreadsT, unsigned kItemsT, unsigned kBlocksT>
struct TilePolicy {
  using Rank = RankT;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;    // a thread
  static constexpr unsigned kBlocks = kBlocksT;  // an SM
  static constexpr unsigned kLookAtOnce = 4;
  static constexpr unsigned kTile = kThreads * kItems;
  static constexpr unsigned kUnits = kThreads / kWarp * Rank::kUnits;
  static constexpr unsigned kUnitLanes = kWarp / Rank::kUnits;
  static_assert(kThreads >= kBins, "a thread a bin");
};

/// The block's shared memory.
template <class Policy, class Key, class Value>
struct TileSpace {
  using Bits = BitsOf<Key>;
  static constexpr std::size_t kCountBytes = Policy::kUnits * kBins * sizeof(unsigned);
  static constexpr std::size_t kRunBytes = kBins * sizeof(void*);
  static constexpr std::size_t kBytes = kCountBytes +
                                        (Items<Key, Value>::kPairs ? 2 : 1) * kRunBytes +
                                        bytes_of_items<Bits, Value>(Policy::kTile);
  Items<Bits, Value> items;   // by bin
  unsigned (*counts)[kBins];  // of each unit; later where its items of a bin go in `items`
  // Where the items of a bin would go in the array if the bin began at place 0 of `items`.
  Key** key_runs;
  Value** value_runs;

  static __device__ TileSpace in(std::byte* shared) {
    TileSpace space;
    space.counts = reinterpret_cast<unsigned(*)[kBins]>(shared);
    shared += kCountBytes;
    space.key_runs = reinterpret_cast<Key**>(shared);
    shared += kRunBytes;
    if constexpr (Items<Key, Value>::kPairs) {
      space.value_runs = reinterpret_cast<Value**>(shared);
      shared += kRunBytes;
    }
    space.items = items_at<Bits, Value>(shared, Policy::kTile);
    return space;
  }
};

/// What a launch, which sweeps over one portion of the array, needs.
template <class Key, class Value>
struct Sweep {
  Items<Key, Value> data;
  Items<Key, Value> alternate;
  std::size_t begin;  // of the portion
  std::size_t n;      // items in the portion
  unsigned pass;
  unsigned portion;
  unsigned portions;
  unsigned* next_tile;
  unsigned* words;
  Plan<kPasses<Key>>* plan;
  unsigned long long* place;       // where the bins of this portion go on
  unsigned long long* next_place;  // and those of the next
};

/// The sums of `count` over the bins below. Threads from kBins on only meet the barrier.
__device__ inline unsigned count_in_bins_below(unsigned count) {
  __shared__ unsigned s_warp_sums[kBins / kWarp];
  const bool has_bin = threadIdx.x < kBins;
  const unsigned up_to_here = warp_inclusive_scan(count);
  if (has_bin && lane_id() == kWarp - 1) s_warp_sums[warp_id()] = up_to_here;
  __syncthreads();
  unsigned below = up_to_here - count;
  if (has_bin) {
#pragma unroll
    for (unsigned w = 0; w < kBins / kWarp; ++w) below += w < warp_id() ? s_warp_sums[w] : 0;
  }
  return below;
}

/// Sorts the tile's keys by the digits so far, which are out of order in a few neighbours at most.
template <class Bits>
__device__ __noinline__ void sort_neighbours(Bits* s_bits, unsigned count, unsigned shift) {
  bool swapped = true;
  while (__syncthreads_or(swapped)) {
    swapped = false;
    for (unsigned odd = 0; odd < 2; ++odd) {
      for (unsigned i = 2 * threadIdx.x + odd; i + 1 < count; i += 2 * blockDim.x) {
        const Bits a = s_bits[i];
        const Bits b = s_bits[i + 1];
        if (digits_so_far(a, shift) > digits_so_far(b, shift)) {
          s_bits[i] = b;
          s_bits[i + 1] = a;
          swapped = true;
        }
      }
      __syncthreads();
    }
  }
}

/// Says what the compiler can't see through a choice: that the items are in global memory.
template <class Key, class Value>
__device__ __forceinline__ Items<Key, Value> global(Items<Key, Value> items) {
  __builtin_assume(__isGlobal(items.keys));
  if constexpr (Items<Key, Value>::kPairs) __builtin_assume(__isGlobal(items.values));
  return items;
}

template <class Policy, Order kOrder, class Key, class Value>
struct TilePartition {
  using Bits = BitsOf<Key>;
  using Rank = typename Policy::Rank;
  static constexpr unsigned kItems = Policy::kItems;
  static constexpr bool kPairs = Items<Key, Value>::kPairs;
  static_assert(Rank::kStable || !kPairs);

  const Sweep<Key, Value>& sweep;
  const PassPlan& pass;
  TileSpace<Policy, Key, Value> space;
  unsigned shift;
  unsigned tile;

  __device__ Items<Key, Value> source() const {
    return global(pass.from_alternate ? sweep.alternate : sweep.data);
  }
  __device__ Items<Key, Value> target() const {
    return global(pass.from_alternate ? sweep.data : sweep.alternate);
  }

  template <bool kFull>
  __device__ void run(unsigned count) const {
    const unsigned unit = threadIdx.x / Policy::kUnitLanes;
    const unsigned first = unit * Policy::kUnitLanes * kItems + threadIdx.x % Policy::kUnitLanes;
    const auto is_item = [&](unsigned u) { return first + u * Policy::kUnitLanes < count; };
    const auto from = source().from(sweep.begin + std::size_t{tile} * Policy::kTile + first);

    Bits bits[kItems];
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      if (kFull || is_item(u)) bits[u] = std::bit_cast<Bits>(from.keys[u * Policy::kUnitLanes]);
    }
    if (pass.is_first) {
#pragma unroll
      for (unsigned u = 0; u < kItems; ++u) {
        bits[u] = to_radix_bits<Key, kOrder>(std::bit_cast<Key>(bits[u]));
      }
    }

    // A lane without an item brings bin 0, which does no harm: any bin may be called heavy.
    const unsigned heavy_bin =
        heavy_bin_of_warp(pass.heavy_bin, kFull || is_item(0) ? digit_at(bits[0], shift) : 0);
    [[maybe_unused]] unsigned rank[kItems];
    if constexpr (Rank::kStable) {
      Rank::template rank<kFull>(space.counts[unit], bits, shift, heavy_bin, rank, is_item);
    } else {
      Rank::template count<kFull>(space.counts[unit], bits, shift, heavy_bin, is_item);
    }
    [[maybe_unused]] Value values[kPairs ? kItems : 1];
    if constexpr (kPairs) {
#pragma unroll
      for (unsigned u = 0; u < kItems; ++u) {
        if (kFull || is_item(u)) values[u] = from.values[u * Policy::kUnitLanes];
      }
    }
    __syncthreads();

    const unsigned bin = threadIdx.x;
    const bool has_bin = bin < kBins;
    const TileWords words{sweep.words, words_tag()};
    unsigned in_bin = 0;
    if (has_bin) {
#pragma unroll 8
      for (unsigned w = 0; w < Policy::kUnits; ++w) in_bin += space.counts[w][bin];
      words.publish_aggregate(tile, bin, in_bin);
    }
    const unsigned bin_begin = count_in_bins_below(in_bin);
    if (has_bin) {
      unsigned place = bin_begin;
#pragma unroll 8
      for (unsigned w = 0; w < Policy::kUnits; ++w) {
        const unsigned in_unit = space.counts[w][bin];
        space.counts[w][bin] = place;
        place += in_unit;
      }
    }
    __syncthreads();

    if constexpr (Rank::kStable) {
#pragma unroll
      for (unsigned u = 0; u < kItems; ++u) {
        if (kFull || is_item(u)) rank[u] += entry_of(space.counts[unit], bits[u], shift);
      }
#pragma unroll
      for (unsigned u = 0; u < kItems; ++u) {
        if (kFull || is_item(u)) {
          space.items.keys[rank[u]] = bits[u];
          if constexpr (kPairs) space.items.values[rank[u]] = values[u];
        }
      }
    } else {
      Rank::template place<kFull>(
          space.counts[unit], bits, shift, heavy_bin, is_item,
          [&](unsigned u, unsigned place) { space.items.keys[place] = bits[u]; });
    }
    if (has_bin) {
      const unsigned before = words.template count_before<Policy::kLookAtOnce>(tile, bin);
      words.publish_inclusive(tile, bin, before + in_bin);
      const std::size_t begin = sweep.place[bin] + before;
      const auto run = target().from(begin - bin_begin);
      space.key_runs[bin] = run.keys;
      if constexpr (kPairs) space.value_runs[bin] = run.values;
      if (std::size_t{tile} * Policy::kTile + count == sweep.n) {
        sweep.next_place[bin] = begin + in_bin;
      }
    }
    __syncthreads();

    if constexpr (Rank::kStable) {
      write<kFull, false>(count);
    } else if (pass.is_first) {
      write<kFull, false>(count);
    } else if (__syncthreads_or(write<kFull, true>(count))) {
      sort_neighbours(space.items.keys, count, shift);
      write<kFull, false>(count);
    }
  }

  /// Writes the tile's bins, and says whether its keys are out of order if asked to check it.
  template <bool kFull, bool kChecked>
  __device__ bool write(unsigned count) const {
    if (pass.is_last) {
      return write_as<kFull, kChecked>(
          count, [](Bits bits) { return from_radix_bits<Key, kOrder>(bits); });
    }
    return write_as<kFull, kChecked>(count, [](Bits bits) { return std::bit_cast<Key>(bits); });
  }

  template <bool kFull, bool kChecked, class ToKey>
  __device__ bool write_as(unsigned count, ToKey to_key) const {
    bool disorder = false;
    Bits bits[kItems];
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      const unsigned i = u * Policy::kThreads + threadIdx.x;
      if (kFull || i < count) {
        bits[u] = space.items.keys[i];
        if constexpr (kChecked) {
          const Bits before = space.items.keys[i == 0 ? 0 : i - 1];
          disorder |= digits_so_far(before, shift) > digits_so_far(bits[u], shift);
        }
      }
    }
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      const unsigned i = u * Policy::kThreads + threadIdx.x;
      if (kFull || i < count) {
        Items<Key, Value> run;
        run.keys = entry_of(space.key_runs, bits[u], shift);
        if constexpr (kPairs) run.values = entry_of(space.value_runs, bits[u], shift);
        const auto to = global(run.from(threadIdx.x));
        to.keys[u * Policy::kThreads] = to_key(bits[u]);
        if constexpr (kPairs) to.values[u * Policy::kThreads] = space.items.values[i];
      }
    }
    return disorder;
  }

  __device__ unsigned words_tag() const {
    const unsigned sweeps_before = pass.sweep * sweep.portions + sweep.portion;
    return sweeps_before % 2 == 0 ? TileWords::kTag : 0;
  }
};

template <class Policy, Order kOrder, class Key, class Value>
__global__ void __launch_bounds__(Policy::kThreads, Policy::kBlocks)
    partition_tiles(__grid_constant__ const Sweep<Key, Value> sweep) {
  __shared__ unsigned s_tile;
  const PassPlan pass = sweep.plan->passes[sweep.pass];
  if (!pass.is_needed) return;
  const auto space = TileSpace<Policy, Key, Value>::in(dynamic_shared());
  for (unsigned i = threadIdx.x; i < Policy::kUnits * kBins; i += Policy::kThreads) {
    space.counts[0][i] = 0;
  }
  if (threadIdx.x == 0) s_tile = atomicAdd(sweep.next_tile, 1u);
  __syncthreads();
  const TilePartition<Policy, kOrder, Key, Value> partition{sweep, pass, space,
                                                            sweep.pass * kDigitBits, s_tile};
  const std::size_t first = std::size_t{s_tile} * Policy::kTile;
  const unsigned count = first < sweep.n ? count_in_tile(sweep.n, first, Policy::kTile) : 0;
  if (count == Policy::kTile) {
    partition.template run<true>(Policy::kTile);
  } else {
    partition.template run<false>(count);
  }
}

constexpr unsigned kCopyThreads = 1024;

/// After an odd number of passes the result lies in the other buffer.
template <class Key, class Value>
__global__ void __launch_bounds__(kCopyThreads)
    copy_home(Items<Key, Value> data, Items<Key, Value> alternate, std::size_t n,
              const Plan<kPasses<Key>>* plan) {
  if (!plan->ends_in_alternate) return;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    data.put(i, alternate[i]);
  }
}

}  // namespace sortlab::gpu
