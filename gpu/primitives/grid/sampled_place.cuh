// Where a sample of an array is taken.
#pragma once

#include <cstddef>

namespace sortlab::gpu {

/// A place somewhere in stretch `i` of `stretches` equal ones of an array of n items, n > 0. It jumps
/// about, so that keys that repeat at a distance are not met again and again.
__device__ __forceinline__ std::size_t sampled_place(unsigned i, unsigned stretches,
                                                     std::size_t n) {
  const std::size_t step = n / stretches;
  unsigned any = i * 0x9e3779b9u;
  any = (any ^ any >> 15) * 0x2c1b3c6du;
  any ^= any >> 13;
  return step > 0 ? i * step + (step * any >> 32) : i % n;
}

}  // namespace sortlab::gpu
