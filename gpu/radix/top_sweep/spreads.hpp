// Which pairs top_sweep spreads.
#pragma once

#include <cstddef>

namespace sortlab::gpu::radix::top_sweep {

/// So many pairs of 32 bits have the smaller leaves.
constexpr std::size_t kFewestOfSmallLeaves = 1u << 23;
constexpr std::size_t kMostOfSmallLeaves = 140'000'000;

/// Whether float keys of 32 bits, with values, become integers that are spread evenly.
constexpr bool spreads_floats(std::size_t n) {
  return n >= kFewestOfSmallLeaves && n <= kMostOfSmallLeaves;
}

}  // namespace sortlab::gpu::radix::top_sweep
