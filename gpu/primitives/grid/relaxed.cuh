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

/// atomicAdd of one lane to a word in shared memory. For atomicAdd the compiler first counts the active lanes.
__device__ __forceinline__ unsigned add_alone(unsigned* s_sum, unsigned mine) {
  unsigned before = 0;
  asm volatile("atom.shared.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(s_sum))), "r"(mine)
               : "memory");
  return before;
}

}  // namespace sortlab::gpu
