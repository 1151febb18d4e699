// How cpu/quick/simd distributes keys, by how many threads, and the workspace that this takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/utils.hpp"
#include "cpu/primitives/parallel/threads_for.hpp"
#include "cpu/quick/simd/state.hpp"

namespace sortlab::cpu::quick::simd {

/// Of `threads` threads, those that n keys are worth starting: one for a quarter of a bucket.
constexpr int useful_threads(std::size_t bytes, int threads, std::size_t bucket_bytes) {
  return primitives::parallel::threads_for(bytes, bucket_bytes / 4, threads);
}
/// Whether keys are sorted in cache at once, which takes no workspace.
inline bool fit_cache(std::size_t bytes, int threads, std::size_t bucket_bytes) {
  static const std::size_t most = getenv("FIT") ? std::size_t(atoi(getenv("FIT"))) << 10 : 0; return threads == 1 && (bytes <= 2 * bucket_bytes || bytes <= most);
}

/// How n keys are distributed and where everything is for that in the workspace.
struct Plan {
  int threads;
  int ways;  // fewest buckets that are asked for; equal keys may add one
  std::size_t state_bytes, blocks, block_links;

  template <class Key>
  static Plan of(std::size_t n, int threads, std::size_t bucket_bytes) {
    Plan plan;
    plan.threads = threads;
    const std::size_t for_cache = n * sizeof(Key) / bucket_bytes + 1;
    const std::size_t for_threads = threads == 1 ? 1 : 16 * static_cast<std::size_t>(threads);
    plan.ways = static_cast<int>(
        std::clamp<std::size_t>(std::max(for_cache, for_threads), 4, kMaxBuckets - 2));
    plan.state_bytes = sizeof(ThreadState<Key>);
    plan.blocks = static_cast<std::size_t>(plan.ways) + 4;  // beside those in the alternate buffer
    const std::size_t share = n / static_cast<std::size_t>(threads) + 1;
    plan.block_links =
        round_up((share / kBlockKeys<Key> + plan.blocks + 2) * sizeof(std::uint32_t), kLineBytes);
    return plan;
  }
  std::size_t bytes() const {
    return kBlockBytes +
           static_cast<std::size_t>(threads) * (state_bytes + blocks * kBlockBytes + block_links);
  }
};

}  // namespace sortlab::cpu::quick::simd
