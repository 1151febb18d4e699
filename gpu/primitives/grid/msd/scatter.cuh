// Scatters the tiles of a level of an MSD radix sort to their bins.
//
// Keys alone need no stability, so a key's rank in its bin is what an atomic in shared memory
// returns, and a block's place in the bin is what an atomic on the bin's next free place returns:
// no ballots and no look-back. In shared memory keys lie by bin, in slots or, where
// bins are too many for that, or some bin of the tile too full, without gaps.
#pragma once

#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/grid/msd/plan.cuh"

namespace sortlab::gpu::msd {

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

// Puts a tile's keys into slots in shared memory, equally many for each bin, so that keys need not
// be counted first: one atomic per key returns its rank, which is its slot.
//
//     tile   [ 5 2 7 2 0 5 ... ]
//     slots  [ 0 . . . | 2 2 . . | 5 5 . . | 7 . . . ]     equally many per bin: slot = rank
//     to     [ .. 0 .. | .. 2 2 .. | .. 5 5 .. | .. ]      runs, at claimed places
//
// Slots take about twice the memory of the keys, and some bin may have too many keys for its slots.

/// The slots of a bin: the first, how many, and how many fewer than usual. A bin without any is left out.
struct Room {
  unsigned begin;
  unsigned size;
  int lacks;
};
/// Bits of a key have equally many for each.
template <class Bits>
__device__ __forceinline__ Room room_of(const KeyDigit<Bits>&, unsigned bin, unsigned stride) {
  return {bin * stride, stride, 0};
}
/// A search has a table of them.
template <class Search>
__device__ __forceinline__ Room room_of(const Search& search, unsigned bin, unsigned stride) {
  const auto slots = search.slots[bin];
  const int lacks = slots.count == 0 ? 0 : static_cast<int>(stride) - slots.count;
  return {slots.begin, slots.count, lacks};
}

/// The bins of some keys.
template <class Bits, unsigned kKeys>
__device__ __forceinline__ void find_bins(const KeyDigit<Bits>& digit, const Bits* key,
                                          unsigned (&bin)[kKeys]) {
#pragma unroll
  for (unsigned j = 0; j < kKeys; ++j) bin[j] = digit(key[j]);
}
template <class Search, class Bits, unsigned kKeys>
__device__ __forceinline__ void find_bins(const Search& search, const Bits* key,
                                          unsigned (&bin)[kKeys]) {
  search.find(key, bin);
}

/// Puts the keys of a tile into slots of their bins, `stride` for each as a rule. Returns whether there were enough; then
/// the counts are those of the bins, or 0 for bins that are left out.
template <bool kFull, class Bits, class Digit, class Shared>
__device__ __forceinline__ bool fill_slots(const Bits (&key)[Shared::kItems], unsigned count,
                                           Digit digit, unsigned stride, Shared& s) {
  constexpr unsigned kAtOnce = Digit::kAtOnce;
  static_assert(Shared::kItems % kAtOnce == 0);
  const int left = static_cast<int>(count) - static_cast<int>(threadIdx.x);
  const auto has_key = [&](unsigned u) {
    return kFull || static_cast<int>(u * Shared::kThreads) < left;
  };
  int greatest = 0;
#pragma unroll
  for (unsigned first = 0; first < Shared::kItems; first += kAtOnce) {
    unsigned bin[kAtOnce];
    Room room[kAtOnce];
    unsigned rank[kAtOnce];
    find_bins(digit, key + first, bin);
#pragma unroll
    for (unsigned j = 0; j < kAtOnce; ++j) room[j] = room_of(digit, bin[j], stride);
#pragma unroll
    for (unsigned j = 0; j < kAtOnce; ++j) {
      const bool counts = has_key(first + j) && room[j].size > 0;
      rank[j] = counts ? atomicAdd(&s.counts[bin[j]], 1u) : 0;
    }
#pragma unroll
    for (unsigned j = 0; j < kAtOnce; ++j) {
      if (has_key(first + j) && rank[j] < room[j].size) {
        s.tile()[room[j].begin + rank[j]] = key[first + j];
      }
      greatest = max(greatest, static_cast<int>(rank[j]) + room[j].lacks);
    }
  }
  return !__syncthreads_or(greatest >= static_cast<int>(stride));
}

/// Each warp writes some bins' slots.
template <class Bits, class Digit, class Back, class Shared>
__device__ __forceinline__ void write_slots(Bits* to, unsigned bins, const Digit& digit,
                                            unsigned stride, const Back& back, Shared& s) {
  constexpr unsigned kWarps = Shared::kThreads / kWarp;
  constexpr unsigned kRows = 3;
#pragma unroll 2
  for (unsigned bin = warp_id(); bin < bins; bin += kWarps) {
    const unsigned count = s.counts[bin];
    Bits* const run = to + s.to[bin];
    const Bits* const from = s.tile() + room_of(digit, bin, stride).begin;
    for (unsigned i = lane_id(); i < count; i += kRows * kWarp) {
      Bits k[kRows]{};
#pragma unroll
      for (unsigned r = 0; r < kRows; ++r) {
        if (i + r * kWarp < count) k[r] = from[i + r * kWarp];
      }
#pragma unroll
      for (unsigned r = 0; r < kRows; ++r) {
        if (i + r * kWarp < count) run[i + r * kWarp] = back.key(k[r]);
      }
    }
  }
}

// Puts a tile's keys in shared memory by bin without gaps: they are counted, room is claimed in each
// bin, and each takes the next place of its bin. For any keys and bins; slots are
// faster where there is room for them.
//
//     tile     [ 5 2 7 2 0 5 ... ]
//     counted  0: 1   2: 2   5: 2   7: 1
//     placed   [ 0 | 2 2 | 5 5 | 7 ]

/// Claims room for the tile's keys in each bin, and turns counts into starts. Neighbouring threads
/// claim in neighbouring bins, so that their atomics go to the L2 cache together.
template <class Shared>
__device__ __forceinline__ void claim_room(Count* d_next, unsigned bins, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kEach = Shared::kBinsAThread;
  const unsigned first = threadIdx.x * kEach;
  unsigned sum = 0;
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    const unsigned bin = e * kThreads + threadIdx.x;
    const unsigned count = bin < bins ? s.counts[bin] : 0;
    if (count > 0) s.to[bin] = atomicAdd(&d_next[bin], Count{count});
    sum += first + e < bins ? s.counts[first + e] : 0;
  }
  unsigned all;
  unsigned start = block_exclusive_scan<kThreads>(sum, &all, s.warp_sums);
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    if (first + e < bins) {
      const unsigned count = s.counts[first + e];
      s.counts[first + e] = start;
      s.to[first + e] -= start;
      start += count;
    }
  }
}

/// Calls put(u, rank) for each key of the thread.
template <unsigned kThreads, unsigned kItems, bool kCrowded, class Bits, class Digit, class Put>
__device__ __forceinline__ void claim_each(const Bits (&key)[kItems], Digit digit, unsigned count,
                                           bool is_full, unsigned* s_counts, Put put) {
  constexpr unsigned kAtOnce = Digit::kAtOnce;
  const int left = static_cast<int>(count) - static_cast<int>(threadIdx.x);
#pragma unroll
  for (unsigned first = 0; first < kItems; first += kAtOnce) {
    unsigned rank[kAtOnce];
#pragma unroll
    for (unsigned j = 0; j < kAtOnce && first + j < kItems; ++j) {
      const unsigned u = first + j;
      const bool has_key = is_full || static_cast<int>(u * kThreads) < left;
      rank[j] = claim_rank<kCrowded>(s_counts, digit(key[u]), has_key);
    }
#pragma unroll
    for (unsigned j = 0; j < kAtOnce && first + j < kItems; ++j) {
      const unsigned u = first + j;
      if (is_full || static_cast<int>(u * kThreads) < left) put(u, rank[j]);
    }
  }
}

/// Puts a tile's keys, which are still raw, in shared memory by bin: counts them, then has each
/// take the next place of its bin, so that no register holds a rank in between.
template <class Bits, class Digit, class Shared>
__device__ __forceinline__ void deal_tile(Bits (&key)[Shared::kItems], unsigned count, bool is_full,
                                          KeyMap<Bits> key_map, Digit digit, unsigned bins,
                                          Count* d_next, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kItems = Shared::kItems;
  for (unsigned b = threadIdx.x; b < bins; b += kThreads) s.counts[b] = 0;
  __syncthreads();
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) key[u] = key_map.ordered(key[u]);
  const bool is_even = is_full && !is_crowded(digit(key[0]));
  const auto nothing = [](unsigned, unsigned) {};
  const auto put = [&](unsigned u, unsigned place) { s.tile()[place] = key[u]; };
  if (is_even) {
    claim_each<kThreads, kItems, false>(key, digit, count, true, s.counts, nothing);
  } else {
    claim_each<kThreads, kItems, true>(key, digit, count, is_full, s.counts, nothing);
  }
  __syncthreads();
  claim_room(d_next, bins, s);
  __syncthreads();
  forget_derived(key);
  if (is_even) {
    claim_each<kThreads, kItems, false>(key, digit, count, true, s.counts, put);
  } else {
    claim_each<kThreads, kItems, true>(key, digit, count, is_full, s.counts, put);
  }
}

// Buckets whose counts determine the result: each bin holds one value, so no key is read.

/// Writes a tile of a bucket whose bins hold one value each, to data. Bin b ends before place
/// d_next[b + 1], the last at the bucket's end.
template <class Bits, class Map, class Shared>
__device__ void fill_tile(const Buffers<Bits, Map>& buffers, const Bucket& bucket, Tile tile,
                          const Count* d_start, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  const bool is_one_value = bucket.min == bucket.max;
  const unsigned bins = is_one_value ? 1 : 1u << bucket.digit_bits;
  for (unsigned b = threadIdx.x; b < bins; b += kThreads) {
    s.to[b] = is_one_value ? bucket.begin : d_start[b];
  }
  __syncthreads();
  unsigned bin = 0;
  for (std::size_t i = tile.begin + threadIdx.x; i < tile.end; i += kThreads) {
    // The last bin that begins at i or before.
    unsigned end = bins;
    while (end - bin > 1) {
      const unsigned middle = (bin + end) / 2;
      (s.to[middle] <= i ? bin : end) = middle;
    }
    const auto value = static_cast<Bits>((is_one_value ? bucket.min : bucket.low) + bin);
    buffers.data[i] = buffers.key_map.key(value);
  }
}

/// Puts the tile's keys, which the threads hold, in shared memory by bin, and claims each bin's room at
/// d_next: in slots, if it says so, else without gaps.
template <class Bits, class Digit, class Shared>
__device__ __forceinline__ bool put_in_bins(Bits (&key)[Shared::kItems], unsigned count,
                                            bool is_full, Digit digit, unsigned bins,
                                            unsigned stride, Count* d_next, Shared& s) {
  bool in_slots = false;
  if constexpr (Shared::kSlotKeys > 0) {
    for (unsigned b = threadIdx.x; b < bins; b += Shared::kThreads) s.counts[b] = 0;
    // A lane without a key, or with one of a bin that is left out, counts as one of a bin of its own.
    const unsigned bin = digit(key[0]);
    const bool is_put = threadIdx.x < count && room_of(digit, bin, stride).size > 0;
    in_slots = !__syncthreads_or(is_crowded(is_put ? bin : ~threadIdx.x));
    if (in_slots) {
      in_slots = is_full ? fill_slots<true>(key, count, digit, stride, s)
                         : fill_slots<false>(key, count, digit, stride, s);
    }
  }
  if (!in_slots) {
    deal_tile(key, count, is_full, KeyMap<Bits>{}, digit, bins, d_next, s);
  } else if (threadIdx.x < bins) {
    const unsigned mine = s.counts[threadIdx.x];
    s.to[threadIdx.x] = mine > 0 ? atomicAdd(&d_next[threadIdx.x], Count{mine}) : 0;
  }
  return in_slots;
}

/// Writes what lies in shared memory by bin, without gaps.
template <class Bits, class Digit, class Back, class Shared>
__device__ __forceinline__ void write_bins(Bits* to, unsigned count, Digit digit, const Back& back,
                                           Shared& s) {
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += Shared::kThreads) {
    const Bits k = s.tile()[i];
    to[s.to[digit(k)] + i] = back.key(k);
  }
}

/// Where a tile's keys go: to the bins of its bucket, in the other buffer.
template <class Bits, class Shared>
struct Destination {
  Bits* to;
  Count* d_next;  // the next free place of each bin
  unsigned bins;
  unsigned stride;  // slots of a bin, an odd number: other banks

  template <class Map>
  __device__ __forceinline__ Destination(const Plan& plan, unsigned number,
                                         const Buffers<Bits, Map>& buffers, const TileTask& task)
      : to(buffers.side(task.bucket.side ^ 1)),
        d_next(plan.level(number).bins + task.bucket.first_bin),
        bins(1u << task.bucket.digit_bits),
        stride(((Shared::kSlotKeys >> task.bucket.digit_bits) - 1) | 1) {}
};

/// Loads the keys of a tile that is to be scattered.
template <class Shared, class Bits, class Map>
__device__ __forceinline__ void load_task(const TileTask& task, const Buffers<Bits, Map>& buffers,
                                          Bits (&key)[Shared::kItems]) {
  const Bits* const from = buffers.keys_of(task.bucket) + task.tile.begin;
  const unsigned count = task.bucket.mode == Mode::scatter ? task.count() : 0;
  load_raw_tile<Shared::kThreads>(from, count, is_full_tile<Shared>(from, count), key);
}

/// Puts the tile's keys by bin into shared memory, or fills the tile if its counts are enough. Says
/// whether the keys lie in slots.
template <class Bits, class Map, class Digit, class Shared>
__device__ __forceinline__ bool deal_task(const TileTask& task, const Buffers<Bits, Map>& buffers,
                                          const Destination<Bits, Shared>& at, unsigned count,
                                          Mode mode, const Digit& digit,
                                          Bits (&key)[Shared::kItems], Shared& s) {
  if (mode == Mode::scatter) {
    const Bits* const from = buffers.keys_of(task.bucket) + task.tile.begin;
    const bool is_full = is_full_tile<Shared>(from, count);
    const auto key_map = buffers.key_map_if(task.bucket.is_raw);
#pragma unroll
    for (unsigned u = 0; u < Shared::kItems; ++u) key[u] = key_map.ordered(key[u]);
    return put_in_bins(key, count, is_full, digit, at.bins, at.stride, at.d_next, s);
  }
  if (mode == Mode::fill) fill_tile(buffers, task.bucket, task.tile, at.d_next, s);
  return false;
}

/// Scatters or fills a block's tiles, one after the other. Keys of the next one are loaded while
/// those of this one are written, and thread 0 finds out what the one behind it is.
/// `digit_of_bucket` makes what finds the bin of a key; `back` makes of an ordered key what is written.
template <class Bits, class Map, class DigitOf, class Shared, class Back = AsTheyAre>
__device__ void scatter_level(const Plan& plan, unsigned number, const Buffers<Bits, Map>& buffers,
                              DigitOf digit_of_bucket, Shared& s, const Back& back = {}) {
  const unsigned tiles = unless_left(plan, plan.counters[number].tiles);
  unsigned t = blockIdx.x;
  if (t >= tiles) return;
  if (threadIdx.x == 0) {
    find_task(plan, number, t, s.task[0]);
    find_task(plan, number, t + gridDim.x, s.task[1]);
  }
  __syncthreads();
  Bits key[Shared::kItems];
  load_task<Shared>(s.task[0], buffers, key);
  for (unsigned slot = 0;; slot ^= 1) {
    const TileTask& task = s.task[slot];
    const unsigned count = task.count();
    const Mode mode = task.bucket.mode;
    const auto digit = digit_of_bucket(task.bucket);
    const Destination<Bits, Shared> at(plan, number, buffers, task);
    const bool in_slots = deal_task(task, buffers, at, count, mode, digit, key, s);
    load_task<Shared>(s.task[slot ^ 1], buffers, key);
    __syncthreads();
    t += gridDim.x;
    if (threadIdx.x == 0) find_task(plan, number, t + gridDim.x, s.task[slot]);
    if (in_slots) {
      write_slots(at.to, at.bins, digit, at.stride, back, s);
    } else if (mode == Mode::scatter) {
      write_bins(at.to, count, digit, back, s);
    }
    __syncthreads();  // before shared memory is used again
    if (t >= tiles) return;
  }
}

/// Scatters the tiles of a level.
template <class Shared, unsigned kBlocksAnSm, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    scatter_keys(Plan plan, unsigned level, Buffers<Bits, Map> buffers) {
  if (plan.is_swept_at_once()) return;
  await_previous_kernel();
  scatter_level(plan, level, buffers, digit_of<Bits>, *reinterpret_cast<Shared*>(dynamic_shared()));
}

}  // namespace sortlab::gpu::msd
