// Buckets of which many keys are the same. Digits would take many levels to part that value from its
// neighbours, so such a bucket is split by it, in three bins:
//
//     bucket   [ 7 7 3 7 9 7 7 4 7 ]
//     bins     [ 3 4 | 7 7 7 7 7 7 | 9 ]      below, equal, above; the equal ones are done
//
// Source: Bentley and McIlroy, Engineering a Sort Function, 1993 (fat partitions).
#pragma once

#include "gpu/primitives/grid/msd/tile.cuh"
#include "gpu/primitives/grid/sampled_place.cuh"
#include "gpu/primitives/warp/pivot.cuh"

namespace sortlab::gpu::msd {

/// A bucket's bin by bits of the key, or by the pivot.
template <class Bits>
struct KeyOrPivotDigit {
  static constexpr unsigned kAtOnce = 8;
  Bits low;  // or the pivot
  unsigned shift;
  bool by_pivot;

  __device__ __forceinline__ unsigned operator()(Bits key) const {
    return by_pivot ? unsigned{key >= low} + unsigned{key > low} : bin_of(key, low, shift);
  }
};

template <class Bits>
__device__ __forceinline__ KeyOrPivotDigit<Bits> key_or_pivot_digit_of(const Bucket& bucket) {
  return {static_cast<Bits>(bucket.low), bucket.shift(), bucket.has_pivot != 0};
}

/// Draws a key a lane from each bucket of the level: if many are the same, they are the pivot.
template <class Bits, class Map>
__device__ void choose_pivots(const Plan& plan, unsigned number,
                              const Buffers<Bits, Map>& buffers) {
  constexpr unsigned kPivotDigitBits = 2;
  const Level level = plan.level(number);
  const unsigned buckets = plan.counters[number].buckets;
  const unsigned warps = gridDim.x * (blockDim.x / kWarp);
  for (unsigned b = blockIdx.x + gridDim.x * warp_id(); b < buckets; b += warps) {
    Bucket& bucket = level.buckets[b];
    if (bucket.is_counted || bucket.range_bits <= plan.max_digit_bits) continue;
    const Bits* const keys = buffers.keys_of(bucket) + bucket.begin;
    const Bits raw = keys[sampled_place(lane_id(), kWarp, bucket.size())];
    const Bits key = buffers.key_map_if(bucket.is_raw).ordered(raw);
    Bits pivot;
    if (find_pivot(key, pivot) && lane_id() == 0) {
      bucket.has_pivot = 1;
      bucket.low = pivot;
      bucket.digit_bits = kPivotDigitBits;
    }
  }
}

}  // namespace sortlab::gpu::msd
