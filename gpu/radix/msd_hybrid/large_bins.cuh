// A prediction from a sample, before the keys are counted: will some bin be too large for a leaf? Then the count would
// be of no use, as all keys are left to the sweeps.
//
// A block draws 4096 keys and counts them in 256 bins by their top 8 bits. Each of these will be split further, as it
// is assumed, evenly. So a bin is too large if it has more keys than full leaves would have, and surely so if chance
// does not explain the difference. What is not seen here, the count will find.
// measured: u32, 4 million keys, us, with this and with the sweeps planned by the scatter's kernel, vs without: Zipf's
// law 117 vs 123, ipv4 134 vs 138, p5 94 vs 100, uniform 78 vs 79; H100, uneven.1.txt
// Source: our own.
#pragma once

#include "gpu/primitives/grid/sampled_place.cuh"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu::radix::msd_hybrid {

struct LargeBins {
  static constexpr unsigned kThreads = 1024;
  static constexpr unsigned kKeys = 4;  // a thread
  static constexpr unsigned kBits = 8;
  static constexpr unsigned kBins = 1u << kBits;
  static constexpr float kSurely = 2.5f;  // deviations of a count from what it is without chance

  unsigned counts[kBins];

  /// The drawn keys in one of the bins where all leaves are full, if n keys are split by `digit_bits` bits.
  static float count_if_full(std::size_t n, unsigned digit_bits, unsigned max_leaf) {
    const float leaves = static_cast<float>(1u << digit_bits) / kBins;  // in one of the bins
    return kThreads * kKeys * leaves * static_cast<float>(max_leaf) / static_cast<float>(n);
  }

  /// All threads of a block of kThreads call it.
  template <class Bits>
  __device__ __forceinline__ bool are_predicted(const Bits* keys, KeyMap<Bits> key_map,
                                                std::size_t n, float count_if_full) {
    // A key from each quarter, at the same distance from where it begins, is found by few instructions.
    const std::size_t quarter = n / kKeys;
    const Bits* const drawn = keys + sampled_place(threadIdx.x, kThreads, quarter);
    Bits key[kKeys];
#pragma unroll
    for (unsigned k = 0; k < kKeys; ++k) key[k] = drawn[k * quarter];
    if (threadIdx.x < kBins) counts[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < kKeys; ++k) {
      const Bits ordered = key_map.ordered(key[k]);
      atomicAdd(&counts[static_cast<unsigned>(ordered >> (8 * sizeof(Bits) - kBits))], 1u);
    }
    __syncthreads();
    const auto count = static_cast<float>(counts[threadIdx.x % kBins]);
    const float excess = count - count_if_full;
    return __syncthreads_or(excess > 0 && excess * excess > kSurely * kSurely * count);
  }
};

}  // namespace sortlab::gpu::radix::msd_hybrid
