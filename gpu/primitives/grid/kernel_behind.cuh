// How a kernel that was launched early (launch/early.cuh) meets the ones in front of it and behind it on the
// stream.
#pragma once

namespace sortlab::gpu {

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
