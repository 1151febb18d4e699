// Which pairs are sorted by keys that are spread (spread_map.hpp): those that gpu/radix/top_sweep sorts in its smaller
// leaves. Fewer are sorted by all passes.
#pragma once

#include <cstddef>

namespace sortlab::gpu {

/// So many pairs of 32 bits have the smaller leaves.
constexpr std::size_t kFewestOfSmallLeaves = 1u << 23;
constexpr std::size_t kMostOfSmallLeaves = 140'000'000;

/// Whether float keys of 32 bits, with values, become integers that are spread evenly.
constexpr bool are_floats_spread(std::size_t n) {
  return n >= kFewestOfSmallLeaves && n <= kMostOfSmallLeaves;
}

}  // namespace sortlab::gpu
