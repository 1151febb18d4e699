// The order of blocks and kernels: the block that finishes last continues alone, with the results of all blocks; and a
// kernel that was launched early meets those in front of it and behind it on the stream.
#pragma once

namespace sortlab::gpu {

/// Whether this is the last block to call it; if so, it sees all earlier writes of the others.
__device__ inline bool is_last_block(unsigned* blocks_done) {
  __shared__ bool s_is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) s_is_last = atomicAdd(blocks_done, 1u) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  return s_is_last;
}

// How a kernel that was launched early (launch/early.cuh) meets the ones in front of it and behind it on the
// stream.

/// Lets the kernel behind start, if it was launched by launch_early.
__device__ __forceinline__ void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// What a kernel launched by launch_early calls before it touches memory of the kernel in front of it, in all its
/// blocks: lets the kernel behind it start, and waits until the one in front of it has ended. Does nothing where
/// the kernel was launched otherwise.
__device__ __forceinline__ void await_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  let_next_kernel_start();
  cudaGridDependencySynchronize();
#endif
}

/// The same, but the kernel behind starts when this one's blocks have ended: for a kernel that would miss
/// the shared memory, or the cache, that blocks in place early take from it.
__device__ __forceinline__ void await_previous_kernel_alone() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

}  // namespace sortlab::gpu
