// A kernel that waits for another one that still runs, where the order of the stream would wait for its end.
#pragma once

#include "gpu/primitives/grid/relaxed.cuh"

namespace sortlab::gpu {

/// Waits until others have counted as far as `least`. All threads of the block call it; what the others wrote before
/// is then there.
__device__ __forceinline__ void await_count(const unsigned* count, unsigned least) {
  if (threadIdx.x == 0) {
    while (load_relaxed(count) < least) __nanosleep(100);
    __threadfence();
  }
  __syncthreads();
}

/// Adds one for those who await it. All threads of a block call it. They and all kernels behind them may end before this
/// kernel does, and the memory be used for something else: so its blocks use none behind this, nor behind having said that
/// they are done.
__device__ __forceinline__ void let_others_go_on(unsigned* count) {
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, 1u);
}

}  // namespace sortlab::gpu
