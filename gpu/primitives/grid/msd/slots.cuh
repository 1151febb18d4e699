// Puts a tile's keys into slots in shared memory, equally many for each bin, so that keys need not
// be counted first: one atomic per key gives its rank, which is its slot.
//
//     tile   [ 5 2 7 2 0 5 ... ]
//     slots  [ 0 . . . | 2 2 . . | 5 5 . . | 7 . . . ]     equally many per bin: slot = rank
//     to     [ .. 0 .. | .. 2 2 .. | .. 5 5 .. | .. ]      runs, at claimed places
//
// Slots take about twice the memory of the keys, and some bin may have too many keys for its slots.
#pragma once

#include "gpu/primitives/block/msd/bins.cuh"
#include "gpu/primitives/grid/msd/tile_memory.cuh"

namespace sortlab::gpu::msd {

/// Puts the keys of a tile into slots of their bins, equally many for each. Returns whether there
/// were enough; then the counts are those of the bins.
template <bool kFull, class Bits, class Digit, class Shared>
__device__ __forceinline__ bool fill_slots(const Bits (&key)[Shared::kItems], unsigned count,
                                           Digit digit, unsigned stride, Shared& s) {
  constexpr unsigned kAtOnce = Digit::kAtOnce;
  const int left = static_cast<int>(count) - static_cast<int>(threadIdx.x);
  const auto has_key = [&](unsigned u) {
    return kFull || static_cast<int>(u * Shared::kThreads) < left;
  };
  unsigned most = 0;
#pragma unroll
  for (unsigned first = 0; first < Shared::kItems; first += kAtOnce) {
    unsigned bin[kAtOnce];
    unsigned slot[kAtOnce];
#pragma unroll
    for (unsigned j = 0; j < kAtOnce && first + j < Shared::kItems; ++j) {
      bin[j] = digit(key[first + j]);
      slot[j] = has_key(first + j) ? atomicAdd(&s.counts[bin[j]], 1u) : 0;
    }
#pragma unroll
    for (unsigned j = 0; j < kAtOnce && first + j < Shared::kItems; ++j) {
      if (has_key(first + j) && slot[j] < stride) {
        s.tile()[bin[j] * stride + slot[j]] = key[first + j];
      }
      most = max(most, slot[j]);
    }
  }
  return !__syncthreads_or(most >= stride);
}

/// Each warp writes some bins' slots.
template <class Bits, class Shared>
__device__ __forceinline__ void write_slots(Bits* to, unsigned bins, unsigned stride, Shared& s) {
  constexpr unsigned kWarps = Shared::kThreads / kWarp;
  constexpr unsigned kRows = 3;
#pragma unroll 2
  for (unsigned bin = warp_id(); bin < bins; bin += kWarps) {
    const unsigned count = s.counts[bin];
    Bits* const run = to + s.to[bin];
    const Bits* const from = s.tile() + bin * stride;
    for (unsigned i = lane_id(); i < count; i += kRows * kWarp) {
      Bits k[kRows]{};
#pragma unroll
      for (unsigned r = 0; r < kRows; ++r) {
        if (i + r * kWarp < count) k[r] = from[i + r * kWarp];
      }
#pragma unroll
      for (unsigned r = 0; r < kRows; ++r) {
        if (i + r * kWarp < count) run[i + r * kWarp] = k[r];
      }
    }
  }
}

}  // namespace sortlab::gpu::msd
