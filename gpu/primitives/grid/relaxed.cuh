// Words in global memory by which running blocks communicate: no access is dropped, merged or
// served from a stale cache line, and no other access is ordered with it.
#pragma once

namespace sortlab::gpu {

__device__ __forceinline__ unsigned load_relaxed(const unsigned* word) {
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}

__device__ __forceinline__ void store_relaxed(unsigned* word, unsigned value) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

}  // namespace sortlab::gpu
