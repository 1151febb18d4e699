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

  // Lanes of a warp come together.

  /// What the threads of the group wrote before, all of them see afterwards.
  __device__ __forceinline__ void sync() const {
    asm volatile("bar.sync %0, %1;" ::"r"(number_), "r"(threads_) : "memory");
  }
  /// The same, and says whether any of them came with true.
  __device__ __forceinline__ bool any(bool mine) const {
    unsigned found;
    asm volatile(
        "{\n .reg .pred mine, found;\n setp.ne.u32 mine, %1, 0;\n"
        " bar.red.or.pred found, %2, %3, mine;\n selp.u32 %0, 1, 0, found;\n}"
        : "=r"(found)
        : "r"(static_cast<unsigned>(mine)), "r"(number_), "r"(threads_)
        : "memory");
    return found != 0;
  }

 private:
  unsigned number_;
  unsigned threads_;
};

}  // namespace sortlab::gpu
