// A look at a sample before the keys are counted: are they, or the numbers that a map makes of them, spread evenly? If not,
// all are left to the sweeps at once.
//
//     drawn     4096 keys, by a block
//     bins      4096, by the top 12 bits; of floats of 64 bits, before they are weighed, by those behind the map's prefix
//     squares   of the bins' counts, added up: 8192 of even keys, give or take 90; more, the more keys share a bin
//
// What is not seen here, the count will find if a bin is larger than a leaf. Within a leaf, uneven keys are sorted slower.
// An earlier look, at the largest of 256 bins, was worth this: u32, 4 million keys, us, with it and with the sweeps planned
// by the scatter's kernel, vs without: Zipf's law 117 vs 123, ipv4 134 vs 138, p5 94 vs 100, uniform 78 vs 79; H100,
// uneven.1.txt
// Source: our own.
#pragma once

#include "gpu/primitives/grid/sampled_place.cuh"
#include "gpu/primitives/spread_map.hpp"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::spread {

struct Look {
  static constexpr unsigned kThreads = 1024;
  static constexpr unsigned kKeys = 4;  // a thread
  static constexpr unsigned kDrawn = kThreads * kKeys;
  static constexpr unsigned kBits = 12;
  static constexpr unsigned kBins = 1u << kBits;
  /// Seven deviations more than even keys have. Numbers of floats are less even (spread_map.hpp).
  template <class Map>
  static constexpr unsigned kEvenSquares = kDrawn + kDrawn / kBins* kDrawn +
                                           kDrawn*(kMayEscape<Map> ? 8 : 3) / 20;

  unsigned counts[kBins];
  unsigned squares;

  /// The bits by which floats of 64 bits are looked at before they are spread: those behind the prefix that has a line
  /// of its own in the map. If they are uneven, the numbers will be, too.
  static constexpr unsigned kBehindPrefix = 52 - 3 - kBits;
  template <class Bits>
  static constexpr unsigned kTop = 8 * sizeof(Bits) - kBits;

  /// All threads of a block of kThreads call it. Looks at the kBits bits from `shift` on.
  template <class Bits, class Map>
  __device__ __forceinline__ bool are_uneven(const Bits* keys, const Map& map, std::size_t n,
                                             unsigned shift = kTop<Bits>) {
    Bits key[kKeys];
#pragma unroll
    for (unsigned k = 0; k < kKeys; ++k) {
      key[k] = keys[sampled_place(k * kThreads + threadIdx.x, kDrawn, n)];
    }
    for (unsigned b = threadIdx.x; b < kBins; b += kThreads) counts[b] = 0;
    if (threadIdx.x == 0) squares = 0;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kKeys; ++k) {
      const Bits ordered = map.ordered(key[k]);
      atomicAdd(&counts[static_cast<unsigned>(ordered >> shift) % kBins], 1u);
    }
    __syncthreads();
    unsigned mine = 0;
    for (unsigned b = threadIdx.x; b < kBins; b += kThreads) mine += counts[b] * counts[b];
    mine = warp_sum(mine);
    if (lane_id() == 0) atomicAdd(&squares, mine);
    __syncthreads();
    return squares > kEvenSquares<Map>;
  }
};

}  // namespace sortlab::gpu::spread
