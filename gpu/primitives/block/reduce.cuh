// A reduction over the threads of a block: within each warp by shuffles, then over what the warps have.
#pragma once

#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu {

/// All lanes' numbers as one, which all lanes get.
template <class T, class Op>
__device__ __forceinline__ T warp_reduce(T mine, Op op) {
#pragma unroll
  for (unsigned distance = 1; distance < kWarp; distance *= 2) {
    mine = op(mine, __shfl_xor_sync(kAllLanes, mine, distance));
  }
  return mine;
}

/// All threads' numbers as one, which all threads get; T{} is neutral. Two barriers, the first before s_of_warps, which
/// has a place for each warp, is written.
template <unsigned kThreads, class T, class Op>
__device__ __forceinline__ T block_reduce(T mine, T* s_of_warps, Op op) {
  mine = warp_reduce(mine, op);
  __syncthreads();
  if (lane_id() == 0) s_of_warps[warp_id()] = mine;
  __syncthreads();
  return warp_reduce(lane_id() < kThreads / kWarp ? s_of_warps[lane_id()] : T{}, op);
}

}  // namespace sortlab::gpu
