// The memory of cpu/quick/in_place: how its extra memory is divided, and the blocks in which keys
// move.
//
//   extra memory | tags | places | spare blocks | buffers of thread 0 | of thread 1 | ..
//
// The keys' own memory is divided into slots of one block each. A tag names the bucket of the block
// in a slot.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/utils.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/quick/tree_search.hpp"

namespace sortlab::cpu::quick::in_place {

/// Keys whose buckets are looked up before any of them moves.
inline constexpr std::size_t kBatch = 128;

using Tag = std::uint16_t;  // the bucket of a block that may have to move, or:
inline constexpr Tag kNobody = 0xFFFF, kBeingRead = 0xFFFE;

/// The place of a bucket's keys.
struct alignas(kLineBytes) Place {
  std::size_t begin, end;         // in the keys
  std::size_t first, last;        // slots that lie in there
  std::atomic<std::size_t> next;  // slot for the next block
  bool spare_used;                // a block more than slots: it lies in the spare one
};

/// How n keys are distributed, and the memory for that.
struct BlockPlan {
  int threads = 1;
  int depth = 0;  // for 2^depth buckets; 0: there is too little to distribute
  std::size_t block_bytes = 0;
  std::size_t slots = 0;

  // The least memory of a thread, and the least keys that are worth starting it.
  static constexpr std::size_t kThreadBytes = std::size_t{64} << 10;
  static constexpr std::size_t kShareBytes = std::size_t{64} << 10;
  // Up to this size one thread splits the keys in place, without a distribution.
  static constexpr std::size_t kMostUndistributed = std::size_t{32} << 20;
  // Buckets have this size while there are at most 2^7 of them; then they grow. For 2^27 keys on 16
  // threads, filling 2^8 buckets costs as much as it saves later, and more with u64 (xeon16,
  // in_place.5.txt).
  static constexpr std::size_t kBucketBytes = std::size_t{512} << 10;
  static constexpr std::size_t kManyBuckets = 128;
  static constexpr std::size_t kLargeBucketBytes = std::size_t{8} << 20;  // they grow up to this

  static int threads_for(std::size_t bytes, int threads) {
    return primitives::parallel::threads_for(bytes, kShareBytes, threads);
  }

  /// The most extra memory for n keys: a sixteenth of theirs, or 64 KiB per thread if that is more.
  static std::size_t most_bytes(std::size_t n, std::size_t key_bytes, int threads) {
    return std::max(n * key_bytes / 16, kThreadBytes * static_cast<std::size_t>(threads));
  }

  /// The plan for n keys with up to `threads` threads and this extra memory: enough buckets to keep
  /// the threads busy, and blocks as large as possible.
  static BlockPlan of(std::size_t n, std::size_t key_bytes, int threads, std::size_t memory) {
    BlockPlan plan;
    const std::size_t bytes = n * key_bytes;
    plan.threads = threads_for(bytes, threads);
    if (plan.threads == 1 && bytes <= kMostUndistributed) return plan;
    const std::size_t wanted =
        std::max({std::min(bytes / kBucketBytes, kManyBuckets), bytes / kLargeBucketBytes,
                  8 * static_cast<std::size_t>(plan.threads)});
    plan.depth = std::clamp(static_cast<int>(std::bit_width(wanted - 1)), kLeastDepth, kMostDepth);
    for (; plan.depth >= kLeastDepth; --plan.depth) {
      for (const std::size_t block : {2048, 1024, 512}) {
        plan.block_bytes = block;
        plan.slots = bytes / block;
        if (plan.bytes() <= memory) return plan;
      }
    }
    return {};
  }

  std::size_t leaves() const { return std::size_t{1} << depth; }
  std::size_t tag_bytes() const { return round_up(slots * sizeof(Tag), kLineBytes); }
  std::size_t place_bytes() const { return leaves() * sizeof(Place); }
  std::size_t spare_bytes() const { return leaves() * block_bytes; }
  /// One block per bucket, and the two that a thread moves.
  std::size_t buffer_bytes() const { return (leaves() + 2) * block_bytes; }
  std::size_t count_bytes() const {
    return 3 * leaves() * sizeof(std::uint32_t) + kBatch * sizeof(std::uint64_t);
  }
  std::size_t thread_bytes() const { return round_up(buffer_bytes() + count_bytes(), kLineBytes); }
  std::size_t bytes() const {
    return tag_bytes() + place_bytes() + spare_bytes() +
           static_cast<std::size_t>(threads) * thread_bytes();
  }
};

/// One thread's keys and memory for a distribution. The memory is free again once the gaps are
/// filled.
template <class Key>
struct Stripe {
  Key* keys;  // its share, which begins with a slot
  std::size_t n;
  Tag* tags;            // of its slots
  std::size_t slots;    // of its share
  Key* buffers;         // one block per bucket, and two more
  std::size_t block;    // keys, a power of two
  std::uint32_t* next;  // where in `buffers` the next key of a bucket goes
  // Buckets of kBatch keys. They are next to `next`, because a load falsely seems to depend on a
  // store at a distance of a multiple of 4 KiB.
  std::make_unsigned_t<Key>* batch;
  std::uint32_t* lead;  // places in front of a buffer's first key
  std::uint32_t* full;  // blocks written from it

  Key* buffer(std::size_t bucket) const { return buffers + bucket * block; }
  /// The keys in a bucket's buffer, and their number.
  Key* rest(std::size_t bucket) const { return buffer(bucket) + lead[bucket]; }
  std::size_t rest_count(std::size_t bucket) const {
    return next[bucket] - bucket * block - lead[bucket];
  }
  std::size_t count(std::size_t bucket) const { return full[bucket] * block + rest_count(bucket); }
};

/// The kernels of one instruction set, for the keys of one kind. Keys are the user's, splitters and
/// samples as `flip` makes them (see Coding).
template <class Key>
struct Calls {
  unsigned (*look)(const Key* keys, std::size_t n, Key flip);
  void (*sample)(const Key* keys, std::size_t n, Key* sample, std::size_t count, Key flip);
  void (*sort_sample)(Key* sample, std::size_t n);
  void (*distribute)(const SplitterTree<Key>& tree, const Stripe<Key>& stripe, Key flip);
  void (*sort)(Key* keys, std::size_t n, Key flip);
  void (*fill)(Key* to, std::size_t n, Key key, Key flip);
};

}  // namespace sortlab::cpu::quick::in_place
