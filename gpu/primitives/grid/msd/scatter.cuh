// Scatters the tiles of a level of an MSD radix sort to their bins.
//
// Keys alone need no stability, so a key's rank in its bin is what an atomic in shared memory
// returns, and a block's place in the bin is what an atomic on the bin's next free place returns:
// no ballots and no look-back. In shared memory keys lie by bin, in slots (slots.cuh) or, where
// bins are too many for that, or some bin of the tile too full, without gaps (deal.cuh).
#pragma once

#include "gpu/primitives/grid/msd/deal.cuh"
#include "gpu/primitives/grid/msd/fill.cuh"
#include "gpu/primitives/grid/msd/slots.cuh"

namespace sortlab::gpu::msd {

/// Puts the tile's keys, which the threads hold, in shared memory by bin, and claims each bin's room at
/// d_next: in slots, if it says so, else without gaps.
template <class Bits, class Digit, class Shared>
__device__ __forceinline__ bool put_in_bins(Bits (&key)[Shared::kItems], unsigned count,
                                            bool is_full, Digit digit, unsigned bins,
                                            unsigned stride, Count* d_next, Shared& s) {
  bool in_slots = false;
  if constexpr (Shared::kSlotKeys > 0) {
    for (unsigned b = threadIdx.x; b < bins; b += Shared::kThreads) s.counts[b] = 0;
    // A lane without a key counts as one of a bin of its own.
    const unsigned bin = threadIdx.x < count ? digit(key[0]) : ~threadIdx.x;
    in_slots = !__syncthreads_or(is_crowded(bin));
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
template <class Bits, class Digit, class Shared>
__device__ __forceinline__ void write_bins(Bits* to, unsigned count, Digit digit, Shared& s) {
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += Shared::kThreads) {
    const Bits k = s.tile()[i];
    to[s.to[digit(k)] + i] = k;
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
/// `digit_of_bucket` makes what tells the bin of a key.
template <class Bits, class Map, class DigitOf, class Shared>
__device__ void scatter_level(const Plan& plan, unsigned number, const Buffers<Bits, Map>& buffers,
                              DigitOf digit_of_bucket, Shared& s) {
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
      write_slots(at.to, at.bins, at.stride, s);
    } else if (mode == Mode::scatter) {
      write_bins(at.to, count, digit, s);
    }
    __syncthreads();  // before shared memory is used again
    if (t >= tiles) return;
  }
}

}  // namespace sortlab::gpu::msd
