// Plans how cpu/radix/simd distributes keys, and the layout of the workspace.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/utils.hpp"
#include "cpu/radix/simd/state.hpp"

namespace sortlab::cpu::radix::simd {

// Threads share the work in buckets of about this many keys, if there are enough keys.
inline constexpr std::size_t kLeastBucket = 4096;

/// Whether n keys are sorted by pivots alone, which needs no workspace.
/// measured: u32, 1 thread, Mkeys/s: at 2^12 421 (pivots) vs 265 (slots), at 2^14 345 vs 354; xeon16,
/// radix_simd.8.txt
constexpr bool is_few(std::size_t n, std::size_t key_bytes) {
  return n * key_bytes <= std::size_t{32} << 10;
}

struct Settings {
  std::size_t bucket_bytes, stream_from_bytes;
};

struct Plan {
  int threads;
  std::size_t ways;
  bool stream;                                   // bypassing the caches
  std::size_t states_bytes, blocks, link_bytes;  // blocks beside those in the alternate buffer

  template <class Key>
  static Plan of(std::size_t n, int threads, const Settings& settings) {
    const auto crew = static_cast<std::size_t>(threads);
    Plan plan;
    plan.threads = threads;
    // Up to 256 buckets are worth their cost, but only if stores bypass the caches.
    // measured: 2^24 u32, 1 thread, Mkeys/s: 324 (512 ways), 338 (256 ways), 288 (128 ways); xeon16,
    // radix_simd.7.txt. Ordinary stores, 2^22 u32: 207 (8 times the ways) vs 294 (66 ways); a
    // Sapphire Rapids Xeon, no log
    constexpr std::size_t kCheapWays = 256;
    plan.stream = n * sizeof(Key) >= settings.stream_from_bytes;
    std::size_t for_cache = n * sizeof(Key) / settings.bucket_bytes + 1;
    for_cache = std::max(for_cache, std::min((plan.stream ? 8 : 2) * for_cache, kCheapWays));
    const std::size_t for_threads =
        threads == 1 ? 1 : std::clamp(n / kLeastBucket, 3 * crew, 16 * crew);
    plan.ways = std::clamp<std::size_t>(std::max(for_cache, for_threads), 4, kMostWays);
    plan.states_bytes = crew * sizeof(ThreadState<Key>);
    // A chain ends in a block that is not full, and a thread may take some that it does not need.
    plan.blocks = crew * (plan.ways + 1 + Supply::kBlocksAtATime) + 2;
    const std::size_t all_blocks = n / kBlockKeys<Key> + plan.blocks;
    plan.link_bytes = round_up(all_blocks * sizeof(std::uint32_t), kBlockBytes);
    return plan;
  }
  std::size_t bytes() const {
    return kBlockBytes + states_bytes + blocks * kBlockBytes + link_bytes;
  }
};

}  // namespace sortlab::cpu::radix::simd
