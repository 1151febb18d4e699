// A barrier of some neighbouring warps of a block, so that groups of threads work side by side and none waits for another.
// A block has 16 such barriers, of which __syncthreads() is number 0.
#pragma once

#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu {

class GroupBarrier {
 public:
  /// Of the group with this number, below 15. All groups have `threads` threads, whole warps.
  __device__ __forceinline__ GroupBarrier(unsigned group, unsigned threads)
      : number_(group + 1), threads_(threads) {}

  /// What the threads of the group wrote before, all of them see afterwards. Lanes of a warp come together.
  __device__ __forceinline__ void sync() const {
    asm volatile("bar.sync %0, %1;" ::"r"(number_), "r"(threads_) : "memory");
  }

 private:
  unsigned number_;
  unsigned threads_;
};

}  // namespace sortlab::gpu
