// Plans how cpu/quick/simd distributes keys, with how many threads, and the workspace for this.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/utils.hpp"
#include "cpu/primitives/parallel/threads_for.hpp"
#include "cpu/quick/simd/state.hpp"

namespace sortlab::cpu::quick::simd {

/// The most distributions of the same keys until their bucket fits into a cache.
inline constexpr int kDistributions = 4;

/// The buckets of one of these. They are in the workspace, because they are large for a stack.
template <class Key>
struct Buckets {
  Key splitters[kMaxBuckets];
  std::size_t begin[kMaxBuckets + 1];
  int order[kMaxBuckets];
};
template <class Key>
inline constexpr std::size_t kBucketsBytes = round_up(kDistributions * sizeof(Buckets<Key>),
                                                      kBlockBytes);

/// How many of `threads` threads are worth starting for n keys: one per quarter of a bucket.
constexpr int useful_threads(std::size_t bytes, int threads, std::size_t bucket_bytes) {
  return primitives::parallel::threads_for(bytes, bucket_bytes / 4, threads);
}
/// Whether one thread sorts the keys in place, without a distribution, which needs no workspace.
/// measured: uniform, 1 thread, 2^19 and 2^22, Mkeys/s: u32 317, 260 (in place) vs 191, 199
/// (distributed), u64 174, 132 vs 105, 106; emr2, results/emr2/one_thread.csv
constexpr bool is_undistributed(std::size_t bytes, int threads, std::size_t bucket_bytes) {
  return threads == 1 && bytes <= 128 * bucket_bytes;
}

/// How n keys are distributed, and the layout of the workspace.
struct Plan {
  int threads;
  int ways;  // fewest buckets that are asked for; equal keys may add one
  std::size_t buckets_bytes, state_bytes, blocks, block_links;

  template <class Key>
  static Plan of(std::size_t n, int threads, std::size_t bucket_bytes) {
    Plan plan;
    plan.threads = threads;
    const std::size_t for_cache = n * sizeof(Key) / bucket_bytes + 1;
    const std::size_t for_threads = threads == 1 ? 1 : 16 * static_cast<std::size_t>(threads);
    plan.ways = static_cast<int>(
        std::clamp<std::size_t>(std::max(for_cache, for_threads), 4, kMaxBuckets - 2));
    plan.buckets_bytes = kBucketsBytes<Key>;
    plan.state_bytes = sizeof(ThreadState<Key>);
    plan.blocks = static_cast<std::size_t>(plan.ways) + 4;  // beside those in the alternate buffer
    const std::size_t share = n / static_cast<std::size_t>(threads) + 1;
    plan.block_links =
        round_up((share / kBlockKeys<Key> + plan.blocks + 2) * sizeof(std::uint32_t), kLineBytes);
    return plan;
  }
  std::size_t bytes() const {
    return kBlockBytes + buckets_bytes +
           static_cast<std::size_t>(threads) * (state_bytes + blocks * kBlockBytes + block_links);
  }
};

}  // namespace sortlab::cpu::quick::simd
