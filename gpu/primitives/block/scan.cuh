// Prefix sums over a block: each warp scans its own numbers, and the sums of the warps go through
// shared memory. Three forms, which differ in barriers and in the threads that add up the sums of
// the warps.
#pragma once

#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu {

/// Exclusive prefix sum of one number per thread; `*sum` becomes the total.
template <unsigned kThreads, class T>
__device__ T block_exclusive_scan(T mine, T* sum, T* s_warp_sums) {
  constexpr unsigned kWarps = kThreads / kWarp;
  const T inclusive = warp_inclusive_scan(mine);
  if (lane_id() == kWarp - 1) s_warp_sums[warp_id()] = inclusive;
  __syncthreads();
  T below = 0;
  T all = 0;
#pragma unroll
  for (unsigned w = 0; w < kWarps; ++w) {
    const T warp = s_warp_sums[w];
    if (w < warp_id()) below += warp;
    all += warp;
  }
  __syncthreads();
  *sum = all;
  return below + inclusive - mine;
}

/// The same for a kernel with few free registers: the first lanes of each warp scan the sums of the
/// warps. Two barriers, the first before s_total, which has a place for each warp, is written.
template <unsigned kThreads>
__device__ __forceinline__ unsigned block_exclusive_scan_by_lanes(unsigned x, unsigned* s_total) {
  const unsigned inclusive = warp_inclusive_scan(x);
  __syncthreads();
  if (lane_id() == kWarp - 1) s_total[warp_id()] = inclusive;
  __syncthreads();
  const unsigned lane = lane_id();
  const unsigned total = lane < kThreads / kWarp ? s_total[lane] : 0;
  const unsigned before = warp_inclusive_scan(total) - total;
  return __shfl_sync(kAllLanes, before, warp_id()) + inclusive - x;
}

/// The sum of `x` over the threads below, for the first kCount threads. All threads meet at one
/// barrier.
template <unsigned kCount>
__device__ inline unsigned sum_of_threads_below(unsigned x) {
  __shared__ unsigned s_warp_sums[kCount / kWarp];
  const bool takes_part = threadIdx.x < kCount;
  const unsigned up_to_here = warp_inclusive_scan(x);
  if (takes_part && lane_id() == kWarp - 1) s_warp_sums[warp_id()] = up_to_here;
  __syncthreads();
  unsigned below = up_to_here - x;
  if (takes_part) {
#pragma unroll
    for (unsigned w = 0; w < kCount / kWarp; ++w) below += w < warp_id() ? s_warp_sums[w] : 0;
  }
  return below;
}

}  // namespace sortlab::gpu
