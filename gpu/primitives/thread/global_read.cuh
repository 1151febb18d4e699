// Reads from global memory that say which data the L2 cache shall drop first.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstdint>

namespace sortlab::gpu {

/// `kDropsFirst`: what was read is not needed again, so the cache drops it before all else. That leaves
/// room for what is written, which the next kernel reads.
template <bool kDropsFirst>
struct GlobalRead {
  template <class T>
  static __device__ __forceinline__ T load(const T* from) {
#ifdef __CUDA_ARCH__
    if constexpr (kDropsFirst) return __ldcs(from);
#endif
    return *from;
  }

  /// Starts to copy 16 bytes to shared memory. Both addresses are multiples of 16.
  static __device__ __forceinline__ void start_copy(void* s_to, const void* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    if constexpr (kDropsFirst) {
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
};

}  // namespace sortlab::gpu
