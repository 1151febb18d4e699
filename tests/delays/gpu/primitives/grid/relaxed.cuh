// Replaces the header of the same name: the same accesses, delayed.
#pragma once

#include "tests/delays/delay.cuh"

namespace sortlab::delays {
inline constexpr bool kWatchedWordsAreLate = true;  // for a test to see that it got this header
}

namespace sortlab::gpu {

__device__ __forceinline__ unsigned load_relaxed(const unsigned* word) {
  delays::give_up_after_deadline();
  delays::dawdle();
  unsigned value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}

__device__ __forceinline__ void store_relaxed(unsigned* word, unsigned value) {
  delays::dawdle();
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

}  // namespace sortlab::gpu
