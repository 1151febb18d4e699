// Puts a tile's keys in shared memory by bin without gaps: they are counted, room is claimed in each
// bin, and each takes the next place of its bin. For any keys and bins; slots (slots.cuh) are
// faster where there is room for them.
//
//     tile     [ 5 2 7 2 0 5 ... ]
//     counted  0: 1   2: 2   5: 2   7: 1
//     placed   [ 0 | 2 2 | 5 5 | 7 ]
#pragma once

#include "gpu/primitives/block/msd/bins.cuh"
#include "gpu/primitives/grid/msd/tile_memory.cuh"

namespace sortlab::gpu::msd {

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

}  // namespace sortlab::gpu::msd
