// Reads from global memory after which the L2 cache shall drop the data first: it is not needed again, and leaves room
// for what is written, which the next kernel reads.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstdint>

namespace sortlab::gpu {

template <class T>
__device__ __forceinline__ T read_to_drop(const T* from) {
#ifdef __CUDA_ARCH__
  return __ldcs(from);
#else
  return *from;
#endif
}

/// Starts to copy 16 bytes to shared memory, to be dropped if `kDrops`. Both addresses are multiples of 16.
template <bool kDrops>
__device__ __forceinline__ void start_copy_of_16_bytes(void* s_to, const void* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (kDrops) {
    std::uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(s_to))),
                 "l"(from), "l"(policy)
                 : "memory");
    return;
  }
#endif
  __pipeline_memcpy_async(s_to, from, 16);
}

}  // namespace sortlab::gpu
