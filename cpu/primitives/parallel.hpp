// The threads of the fast CPU sorts: how many, and the only interface to them. No other code in these sorts starts a
// thread or waits for one.
#pragma once

#include <algorithm>
#include <cstddef>

#include "common/threads/team.hpp"

namespace sortlab::cpu::primitives::parallel {

using team::at_hand;
using threads::chunk_begin, threads::for_each_chunk, threads::for_each_part,
    threads::on_all_threads;

/// How many of `threads` threads get at least `share` items each; at least one. A share is worth
/// starting a thread. `workspace_bytes` and `sort` both call this, so the harness allocates no memory
/// for threads that never start.
constexpr int threads_for(std::size_t n, std::size_t share, int threads) {
  return static_cast<int>(std::clamp<std::size_t>(n / share, 1, static_cast<std::size_t>(threads)));
}

/// A share in sorts of items that take a few nanoseconds each.
inline constexpr std::size_t kItemsPerThread = std::size_t{1} << 12;

}  // namespace sortlab::cpu::primitives::parallel
