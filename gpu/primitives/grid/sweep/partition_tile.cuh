// One pass of the sort: every tile of the array is split by a digit, and its bins are written where
// the bins of the tiles before end.
//
//     load         keys to registers, values on their way to shared memory
//     histogram    of each warp, then of the tile: published as its aggregate for the tiles behind
//     rank         each key goes to its place in shared memory, ordered by bin
//     look back    the sum of the tiles before says where each bin goes on in the array
//     scatter      bins leave shared memory in runs, so that lanes write side by side
//
// Source: Adinets and Merrill 2022 (Onesweep).
#pragma once

#include <cuda_pipeline_primitives.h>

#include <bit>

#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/grid/sweep/block_rank.cuh"
#include "gpu/primitives/grid/sweep/pass_plan.cuh"
#include "gpu/primitives/grid/sweep/tiles.cuh"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu::sweep {

/// What a launch, which sweeps over one portion of the array, needs.
template <class Bits, class Value>
struct Sweep {
  Arrays<Bits, Value> arrays;
  std::size_t begin;  // of the portion
  std::size_t n;      // items in the portion
  unsigned tiles;     // in the portion
  unsigned pass;
  unsigned portion;
  unsigned portions;
  bool has_plan;            // when it starts: the kernel in front is a pass, too
  bool may_start_early;     // while the plan is made
  const unsigned* at_once;  // unless null: only if this is not zero
  unsigned* next_tile;
  unsigned* tiles_done;  // counted only where one launch does several sweeps
  unsigned* words;
  Plan<kPasses<Bits>>* plan;
  unsigned long long* place;       // where the bins of this portion go on
  unsigned long long* next_place;  // and those of the next
};

/// Waits until others have counted as far as `least`. All threads of the block call it; what the others wrote before
/// is then there.
__device__ __forceinline__ void await_count(const unsigned* count, unsigned least) {
  if (threadIdx.x == 0) {
    while (load_relaxed(count) < least) __nanosleep(100);
    __threadfence();
  }
  __syncthreads();
}

/// Says what the compiler can't see through a choice: that the items are in global memory.
template <class Key, class Value>
__device__ __forceinline__ Items<Key, Value> global(Items<Key, Value> items) {
  __builtin_assume(__isGlobal(items.keys));
  if constexpr (Items<Key, Value>::kPairs) __builtin_assume(__isGlobal(items.values));
  return items;
}

template <class Policy, class Bits, class Value>
struct TilePartition {
  using Rank = typename Policy::Rank;
  static constexpr unsigned kItems = Policy::kItems;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;

  const Sweep<Bits, Value>& sweep;
  PassPlan& pass;
  TileSpace<Policy, Bits, Value> space;
  unsigned shift;
  unsigned tile;
  bool is_early;  // the pass is not planned yet, and taken to be the first

  __device__ Items<Bits, Value> source() const {
    return global(pass.is_first         ? sweep.arrays.source
                  : pass.from_alternate ? sweep.arrays.alternate
                                        : sweep.arrays.data);
  }
  __device__ Items<Bits, Value> target() const {
    return global(pass.from_alternate ? sweep.arrays.data : sweep.arrays.alternate);
  }

  /// Items of the tile from `first` on. Compared with constants, where numbers of items compared with
  /// `count` would be held in registers from tile to tile.
  static __device__ int left_from(unsigned first, unsigned count) {
    return static_cast<int>(count) - static_cast<int>(first);
  }

  /// A thread's items: the first of them in the tile, the others follow a warp apart.
  struct Own {
    unsigned first;
    int left;

    explicit __device__ __forceinline__ Own(unsigned count) {
      const unsigned thread = thread_here();
      first = thread / kWarp * (kWarp * kItems) + thread % kWarp;
      left = left_from(first, count);
    }
    __device__ __forceinline__ bool has(unsigned u) const {
      return static_cast<int>(u * kWarp) < left;
    }
  };

  /// The bin that a thread answers for, if it has one: the tile's items in it, and where they begin
  /// in shared memory.
  struct OwnBin {
    unsigned bin;
    bool exists;
    unsigned count;
    unsigned begin;
  };

  /// Partitions the tile, in the steps that this file begins with.
  template <bool kFull>
  __device__ void run(unsigned count) const {
    const Own own(count);
    Bits bits[kItems];
    load<kFull>(own, count, bits);
    const unsigned heavy_bin = count_by_warp<kFull>(own, bits);
    if constexpr (!kPairs) {
      if (is_early && !await_plan()) return;
    }
    __syncthreads();
    const TileWords words{sweep.words, words_tag()};
    const OwnBin bin = count_tile(words);
    __syncthreads();
    place_in_bins<kFull>(own, heavy_bin, bits);
    if (bin.exists) look_back(words, bin, count);
    wait_for_values();
    __syncthreads();
    write_in_order<kFull>(count);
  }

  /// Loads the thread's keys, as bits that sort. Values start on their way to shared memory.
  template <bool kFull>
  __device__ __forceinline__ void load(Own own, unsigned count, Bits (&bits)[kItems]) const {
    const std::size_t first = sweep.begin + std::size_t{tile} * Policy::kTile;
    const auto from = source().from(first);
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      if constexpr (Policy::kDropsRead) {
        bits[u] = kFull || own.has(u) ? read_to_drop(from.keys + own.first + u * kWarp) : Bits{0};
      } else if constexpr (kPairs) {  // not as below yet: onesweep.md of the lab, "Left to try"
        bits[u] = kFull || own.has(u) ? from.keys[own.first + u * kWarp] : Bits{0};
      } else {
        bits[u] = kFull || own.has(u) ? (from.keys + own.first)[u * kWarp] : Bits{0};
      }
    }
    if constexpr (kPairs) {
      if (pass.is_first && sweep.arrays.source.values == nullptr) {
        number_values(first, count);
      } else {
        fetch_values<kFull>(from.values, count);
      }
    }
    if (pass.is_first) {
#pragma unroll
      for (unsigned u = 0; u < kItems; ++u) bits[u] = sweep.arrays.key_map.ordered(bits[u]);
    }
  }

  /// Waits for the plan, which another kernel makes that still runs; says if the pass is needed.
  __device__ __forceinline__ bool await_plan() const {
    await_count(&sweep.plan->is_ready, 1);
    let_next_kernel_start();
    pass = sweep.plan->passes[sweep.pass];
    return pass.is_needed;
  }

  /// The warp's histogram; says which bin is its heavy one.
  template <bool kFull>
  __device__ __forceinline__ unsigned count_by_warp(Own own, const Bits (&bits)[kItems]) const {
    // A lane without an item brings bin 0, which does no harm: any bin may be called heavy.
    const unsigned heavy_bin =
        heavy_bin_of_warp(pass.heavy_bin, kFull || own.has(0) ? digit_at(bits[0], shift) : 0);
    const auto is_item = [&](unsigned u) { return own.has(u); };
    if constexpr (kPairs) {
      Rank::template count_heavy<kFull>(space.counts[warp_id()], bits, shift, heavy_bin, is_item);
    } else {
      Rank::template count<kFull>(space.counts[warp_id()], bits, shift, is_item);
    }
    return heavy_bin;
  }

  /// Adds up the warps' histograms to that of the tile, publishes it, and turns the warps' counts into
  /// places: a prefix sum over the bins, and within each bin over the warps.
  __device__ __forceinline__ OwnBin count_tile(TileWords words) const {
    OwnBin own;
    own.bin = threadIdx.x;
    own.exists = own.bin < kBins;
    own.count = own.exists ? publish_count(words, own.bin) : 0;
    own.begin = sum_of_threads_below<kBins>(own.count);
    if (own.exists) let_warps_begin(own.bin, own.begin);
    return own;
  }

  /// Publishes how many of the tile's items are in a bin: the aggregate for the tiles behind.
  __device__ __forceinline__ unsigned publish_count(TileWords words, unsigned bin) const {
    unsigned in_bin = 0;
#pragma unroll 8
    for (unsigned w = 0; w < Policy::kWarps; ++w) in_bin += space.counts[w][bin];
    words.publish_aggregate(tile, bin, in_bin);
    return in_bin;
  }

  /// The counts of a bin become the places where each warp's items of it begin.
  __device__ __forceinline__ void let_warps_begin(unsigned bin, unsigned place) const {
#pragma unroll 8
    for (unsigned w = 0; w < Policy::kWarps; ++w) {
      const unsigned in_warp = space.counts[w][bin];
      space.counts[w][bin] = place;
      place += in_warp;
    }
  }

  /// Ranks the thread's keys: each takes the next place of its bin in shared memory.
  template <bool kFull>
  __device__ __forceinline__ void place_in_bins(Own own, unsigned heavy_bin,
                                                const Bits (&bits)[kItems]) const {
    Rank::template place<kFull>(
        space.counts[warp_id()], bits, shift, heavy_bin, [&](unsigned u) { return own.has(u); },
        [&](unsigned u, unsigned place) {
          space.keys[place] = bits[u];
          if constexpr (kPairs) {
            space.origins[place] = static_cast<std::uint16_t>(own.first + u * kWarp);
          }
        });
  }

  /// Decoupled look-back: reads from the tiles before where a bin's items go on in the array, and
  /// publishes it for the tiles behind. The last tile passes it to the next portion.
  __device__ __forceinline__ void look_back(TileWords words, OwnBin own, unsigned count) const {
    const unsigned before = words.template count_before<Policy::kLookAtOnce>(tile, own.bin);
    words.publish_inclusive(tile, own.bin, before + own.count);
    const std::size_t begin = sweep.place[own.bin] + before;
    const auto run = target().from(begin - own.begin);
    space.key_runs[own.bin] = run.keys;
    if constexpr (kPairs) space.value_runs[own.bin] = run.values;
    if (std::size_t{tile} * Policy::kTile + count == sweep.n) {
      sweep.next_place[own.bin] = begin + own.count;
    }
  }

  static __device__ __forceinline__ void wait_for_values() {
    if constexpr (kPairs) __pipeline_wait_prior(0);
  }

  /// Writes the tile, and once more if some items that ranked themselves by atomics are out of order.
  template <bool kFull>
  __device__ __forceinline__ void write_in_order(unsigned count) const {
    if (pass.is_first && !kPairs) {
      write<kFull, false>(count);
    } else if (__syncthreads_or(write<kFull, true>(count))) {
      repair_order(space, count, shift, pass.first_shift);
      write<kFull, false>(count);
    }
  }

  /// Makes places in the array the tile's values.
  __device__ void number_values(std::size_t first, unsigned count) const {
    for (unsigned i = threadIdx.x; i < count; i += Policy::kThreads) {
      space.values[space.slot_of(i)] = static_cast<Value>(first + i);
    }
  }

  /// Has the tile's values copied to shared memory while its keys are placed.
  template <bool kFull>
  __device__ void fetch_values(const Value* from, unsigned count) const {
    constexpr unsigned kAtOnce = 16 / sizeof(Value);
    if (kFull && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
      for (unsigned i = kAtOnce * threadIdx.x; i < Policy::kTile; i += kAtOnce * Policy::kThreads) {
        start_copy_of_16_bytes<Policy::kDropsRead>(space.values + space.slot_of(i), from + i);
      }
    } else {
      for (unsigned i = threadIdx.x; i < count; i += Policy::kThreads) {
        __pipeline_memcpy_async(space.values + space.slot_of(i), from + i, sizeof(Value));
      }
    }
    __pipeline_commit();
  }

  /// Writes the tile's bins, and says whether its items are out of order if asked to check it.
  template <bool kFull, bool kChecked>
  __device__ bool write(unsigned count) const {
    if constexpr (kPairs) {
      return write_pairs<kFull, kChecked>(count);
    } else {
      return write_keys<kFull, kChecked>(count);
    }
  }

  /// Writes the bins of a tile of keys, the rows of a warp side by side.
  template <bool kFull, bool kChecked>
  __device__ __forceinline__ bool write_keys(unsigned count) const {
    const auto key_map = pass.is_last ? sweep.arrays.key_map : KeyMap<Bits>{};
    const Own own(count);
    bool disorder = false;
    Bits bits[kItems]{};  // set in any case: else they would keep the tile's before
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      const unsigned i = own.first + u * kWarp;
      if (kFull || own.has(u)) {
        bits[u] = space.keys[i];
        if constexpr (kChecked) {
          disorder |= space.is_disorder(i == 0 ? 0 : i - 1, i, shift, pass.first_shift);
        }
      }
    }
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      if (kFull || own.has(u)) {
        Bits* const run = entry_of(space.key_runs, bits[u], shift) + own.first;
        __builtin_assume(__isGlobal(run));
        run[u * kWarp] = key_map.key(bits[u]);
      }
    }
    return disorder;
  }

  /// A few pairs of a thread on their way from shared memory to the array, from its item number
  /// `first` on: their keys, and where in the tile they were.
  static constexpr unsigned kBatch = Policy::kWriteAtOnce;
  using BatchBits = Bits[kBatch];
  using BatchOrigins = unsigned[kBatch];

  /// Whether the thread, which has `left` items, has number u.
  template <bool kFull>
  static __device__ __forceinline__ bool is_left(unsigned u, int left) {
    return u < kItems && (kFull || static_cast<int>(u * Policy::kThreads) < left);
  }

  /// Writes the bins of a tile of pairs. All warps write at the same time, and the rows that they write lie side by side.
  template <bool kFull, bool kChecked>
  __device__ __forceinline__ bool write_pairs(unsigned count) const {
    const auto key_map = pass.is_last ? sweep.arrays.key_map : KeyMap<Bits>{};
    const unsigned thread = thread_here();
    const int left = left_from(thread, count);
    bool disorder = false;
#pragma unroll
    for (unsigned first = 0; first < kItems; first += kBatch) {
      BatchBits bits{};
      BatchOrigins origin{};
      take_batch<kFull, kChecked>(bits, origin, first, thread, left, disorder);
      scatter_batch<kFull>(bits, origin, first, thread, left, key_map);
    }
    return disorder;
  }

  /// Takes a batch out of shared memory, where items lie by bin; says if one is out of order.
  template <bool kFull, bool kChecked>
  __device__ __forceinline__ void take_batch(BatchBits& bits, BatchOrigins& origin, unsigned first,
                                             unsigned thread, int left, bool& disorder) const {
#pragma unroll
    for (unsigned j = 0; j < kBatch; ++j) {
      const unsigned i = (first + j) * Policy::kThreads + thread;
      if (is_left<kFull>(first + j, left)) {
        bits[j] = space.keys[i];
        origin[j] = space.origins[i];
        if constexpr (kChecked) {
          disorder |= space.is_disorder(i == 0 ? 0 : i - 1, i, shift, pass.first_shift);
        }
      }
    }
  }

  /// Writes a batch to the runs of its bins in the array.
  template <bool kFull>
  __device__ __forceinline__ void scatter_batch(const BatchBits& bits, const BatchOrigins& origin,
                                                unsigned first, unsigned thread, int left,
                                                const KeyMap<Bits>& key_map) const {
#pragma unroll
    for (unsigned j = 0; j < kBatch; ++j) {
      const unsigned u = first + j;
      if (is_left<kFull>(u, left)) {
        Items<Bits, Value> run;
        run.keys = entry_of(space.key_runs, bits[j], shift);
        run.values = entry_of(space.value_runs, bits[j], shift);
        const auto to = global(run.from(thread));
        to.keys[u * Policy::kThreads] = key_map.key(bits[j]);
        to.values[u * Policy::kThreads] = space.values[space.slot_of(origin[j])];
      }
    }
  }

  __device__ unsigned words_tag() const {
    const unsigned sweeps_before = pass.sweep * sweep.portions + sweep.portion;
    return sweeps_before % 2 == 0 ? TileWords::kTag : 0;
  }
};

/// The block takes the next tile of a sweep, and makes its counts zero. All is there once the threads have met.
template <class Policy, class Bits, class Value>
__device__ __forceinline__ void take_tile(const Sweep<Bits, Value>& sweep,
                                          const TileSpace<Policy, Bits, Value>& space,
                                          unsigned& s_tile) {
  if (threadIdx.x == 0) s_tile = atomicAdd(sweep.next_tile, 1u);
  for (unsigned i = threadIdx.x; i < Policy::kWarps * kBins; i += Policy::kThreads) {
    space.counts[0][i] = 0;
  }
}

/// Partitions a tile that the block has taken.
template <class Policy, class Bits, class Value>
__device__ __forceinline__ void sweep_tile(const Sweep<Bits, Value>& sweep, PassPlan& pass,
                                           const TileSpace<Policy, Bits, Value>& space,
                                           unsigned tile, bool is_early = false) {
  const TilePartition<Policy, Bits, Value> partition{sweep, pass,    space, sweep.pass * kDigitBits,
                                                     tile,  is_early};
  const std::size_t first = std::size_t{tile} * Policy::kTile;
  const unsigned count = first < sweep.n ? count_in_tile(sweep.n, first, Policy::kTile) : 0;
  if (count == Policy::kTile) {
    partition.template run<true>(Policy::kTile);
  } else {
    partition.template run<false>(count);
  }
}

/// A pass, with a block for each tile. A block takes its tile while the kernel in front still runs: next_tile was made
/// zero before that one let this one start. Of keys alone, the first pass lets the next one start when it has the plan, so that others
/// read the plan before they wait. It may also start while the plan is made, and counts its tile's digits meanwhile: it is
/// then taken to be needed.
template <class Policy, class Bits, class Value>
__global__ void __launch_bounds__(Policy::kThreads, Policy::kBlocks)
    partition_tiles(__grid_constant__ const Sweep<Bits, Value> sweep) {
  __shared__ unsigned s_tile;
  const auto space = TileSpace<Policy, Bits, Value>::in(dynamic_shared());
  PassPlan pass{};
  bool is_early = false;
  if constexpr (Items<Bits, Value>::kPairs) {
    take_tile<Policy>(sweep, space, s_tile);
    await_previous_kernel();
    pass = sweep.plan->passes[sweep.pass];
  } else {
    if (sweep.has_plan) {
      pass = std::bit_cast<PassPlan>(
          __ldcg(reinterpret_cast<const uint4*>(&sweep.plan->passes[sweep.pass])));
    }
    take_tile<Policy>(sweep, space, s_tile);
    is_early =
        sweep.may_start_early && (sweep.at_once == nullptr || load_relaxed(sweep.at_once) != 0);
    if (is_early) {
      pass = {.is_needed = true,
              .is_first = true,
              .is_last = false,
              .from_alternate = false,
              .sweep = 0,
              .first_shift = 0,
              .heavy_bin = kBins};
    } else if (sizeof(Bits) == 4 && sweep.at_once != nullptr && sweep.pass + 1 == kPasses<Bits>) {
      // Launched by msd_hybrid: the blocks of the leaves, behind the last pass, must not take shared memory from it yet.
      // measured: 16.8 million, time over onesweep's: u32 1.051 (so) vs 1.066, f64 1.024 vs 1.020; H200, timeline.1.txt.xz
      await_previous_kernel_alone();
    } else if (sweep.has_plan) {
      await_previous_kernel();
    } else {
      await_previous_kernel_alone();
      let_next_kernel_start();
      pass = sweep.plan->passes[sweep.pass];
    }
  }
  __syncthreads();
  if (pass.is_needed) sweep_tile<Policy>(sweep, pass, space, s_tile, is_early);
}

}  // namespace sortlab::gpu::sweep
