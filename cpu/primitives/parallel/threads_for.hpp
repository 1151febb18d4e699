// How many threads a sort uses. `workspace_bytes` and `sort` both call this, so the harness
// allocates no memory for threads that never start.
#pragma once

#include <algorithm>
#include <cstddef>

namespace sortlab::cpu::primitives::parallel {

/// How many of `threads` threads get at least `share` items each; at least one. A share is worth
/// starting a thread.
constexpr int threads_for(std::size_t n, std::size_t share, int threads) {
  return static_cast<int>(std::clamp<std::size_t>(n / share, 1, static_cast<std::size_t>(threads)));
}

/// A share in sorts of items that take a few nanoseconds each.
inline constexpr std::size_t kItemsPerThread = std::size_t{1} << 12;

}  // namespace sortlab::cpu::primitives::parallel
