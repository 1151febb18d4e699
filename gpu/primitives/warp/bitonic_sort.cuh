// Batcher's bitonic sort of a warp's keys, in registers: kEach keys a lane, lane l's being numbers
// l * kEach and on. Each step compares keys of two lanes; the last steps of a merge are within a lane.
//
//     lanes    0   1   2   3
//     run      [  sorted  ][  sorted  ]      both rise, so the first step meets mirror images:
//               a b c d e f g h i j k l      a with l, b with k, ... f with g
//
// Source: Batcher 1968; Knuth, section 5.3.4, for the form without falling runs.
#pragma once

#include <type_traits>

#include "gpu/primitives/thread/networks.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu {

/// What the lane has whose number differs in the bits of `distance`: a number, or any type that may be copied.
template <class T>
__device__ __forceinline__ T from_partner(const T& mine, unsigned distance) {
  if constexpr (std::is_integral_v<T>) {
    return __shfl_xor_sync(kAllLanes, mine, distance);
  } else {
    return from_lane(mine, lane_id() ^ distance);
  }
}

/// Lanes `distance` bits apart exchange keys so that the lower one keeps the smaller ones. Numbers
/// are turned round if the distance is that of a whole run, as runs are both in rising order.
template <bool kTurn, unsigned kEach, class Bits>
__device__ __forceinline__ void exchange_lanes(Bits (&k)[kEach], unsigned distance, bool is_lower) {
  Bits other[kEach];
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j) {
    other[j] = from_partner(k[kTurn ? kEach - 1 - j : j], distance);
  }
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j) k[j] = (k[j] < other[j]) == is_lower ? k[j] : other[j];
}

/// Batcher's bitonic sort of `count` keys, of which the last lanes' may be missing.
template <unsigned kEach, class Bits>
__device__ __forceinline__ void sort_in_warp(Bits (&k)[kEach], unsigned count) {
  const auto order_keys = [&](unsigned i, unsigned j) { order(k[i], k[j]); };
  if constexpr (kEach > 1) sort_by_levels<kEach, 1>(order_keys);
  for (unsigned lanes = 2; lanes / 2 * kEach < count; lanes *= 2) {
    exchange_lanes<true>(k, lanes - 1, (lane_id() & lanes / 2) == 0);
    for (unsigned distance = lanes / 4; distance > 0; distance /= 2) {
      exchange_lanes<false>(k, distance, (lane_id() & distance) == 0);
    }
    merge_bitonic<kEach, kEach / 2>(order_keys);
  }
}

}  // namespace sortlab::gpu
