// The memory of a thread of radix/pairs: buffers of buckets, the parts that are still to be sorted, and leaves.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/contract/isa.hpp"
#include "common/contract/isa_region.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/radix/msd/counting.hpp"
#include "cpu/radix/pair_leaf/leaf.hpp"
#include "cpu/radix/write_combining.hpp"

namespace sortlab::cpu::radix::pairs {

using namespace msd;
using namespace pair_leaf;

// The scatter to buckets: through buffers of some cache lines per bucket (see write_combining.hpp, whose
// buffers are one line of keys and one of values).
//
//   from    keys k0 k1 k2 ..  values v0 v1 v2 ..
//   lines   [k v, k v, .. , free ]   four or six cache lines for each bucket; full ones move on:
//   to      | k v, k v, ... | k v, k v, ... | ...
//
// A pair takes one store instead of two for separate keys and values, and a scatter has half the
// lines in flight. A full buffer causes an unpredictable branch; twice the pairs per buffer halve
// the number of these branches.

/// The buffers with which one thread scatters. They are whole cache lines, so that no two threads
/// ever write to one line.
template <class Items, std::size_t kMaxBuckets>
struct alignas(kLineBytes) PairLines {
  // Of a buffer, which takes 256 or 192 bytes.
  static constexpr std::size_t kPairs = sizeof(typename Items::Key) == 4 ? 32 : 16;
  static constexpr std::size_t kBytes = kPairs * PackedPairs<Items>::kBytes;
  static_assert(kBytes % kLineBytes == 0);

  std::size_t begin[kMaxBuckets];     // where its range in each bucket begins ...
  std::size_t next[kMaxBuckets];      // ... and the first place beyond its last full buffer
  std::uint16_t filled[kMaxBuckets];  // the number of places filled in a buffer
  alignas(kLineBytes) std::byte lines[kMaxBuckets][kBytes];

  PackedPairs<Items> line(std::size_t bucket) { return PackedPairs<Items>(lines[bucket]); }

  /// To be called before a scatter to the first `count` buckets. A buffer represents kPairs places
  /// from a multiple of kPairs on, so that it is written to whole cache lines.
  void open(std::size_t count) {
    for (std::size_t b = 0; b < count; ++b) {
      filled[b] = static_cast<std::uint16_t>(next[b] % kPairs);
    }
  }
  /// Prefetches the line for the next pair of a bucket. It is probably in the second-level cache,
  /// because one line per bucket is more than the first level holds.
  void fetch(std::size_t bucket) const {
    const std::byte* const place = lines[bucket] + filled[bucket] * PackedPairs<Items>::kBytes;
    __builtin_prefetch(place, 1);
  }
  /// Moves a buffer's pairs to their places.
  void move_some(PackedPairs<Items> to, std::size_t bucket) {
    const std::size_t first = next[bucket] % kPairs;
    std::memcpy(to.from(next[bucket]).bytes(), line(bucket).from(first).bytes(),
                (filled[bucket] - first) * PackedPairs<Items>::kBytes);
  }
  /// To be called after a scatter.
  void close(PackedPairs<Items> to, std::size_t count) {
    for (std::size_t b = 0; b < count; ++b) move_some(to, b);
    publish_lines();
  }
};

/// Scatters n items straight to the destination.
template <class Items, class Lines, class BucketOf>
void scatter_pairs(Items from, std::size_t n, PackedPairs<Items> to, BucketOf bucket_of,
                   Lines& lines) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto pair = from[i];
    to.put(lines.next[bucket_of(pair.key)]++, pair);
  }
}

/// Scatters n items through the lines, between open() and close(). `to` is at a line boundary.
/// kAhead: how many pairs ahead a pair's line is prefetched; 0: never.
template <class MoveLine, std::size_t kAhead, class Items, class Lines, class BucketOf>
[[gnu::always_inline]] inline void scatter_by_pair_lines(Items from, std::size_t n,
                                                         PackedPairs<Items> to, BucketOf bucket_of,
                                                         Lines& lines) {
  constexpr MoveLine move_line;
  const auto scatter = [&](std::size_t i) {
    const auto pair = from[i];
    const std::size_t bucket = bucket_of(pair.key);
    const std::size_t slot = lines.filled[bucket];
    lines.line(bucket).put(slot, pair);
    lines.filled[bucket] = static_cast<std::uint16_t>(slot + 1);
    if (slot + 1 < Lines::kPairs) return;
    const std::size_t place = lines.next[bucket], before = place % Lines::kPairs;
    if (before == 0) {
      move_line(to.from(place).bytes(), lines.lines[bucket], Lines::kBytes);
    } else {  // the previous thread writes the front of these lines
      lines.move_some(to, bucket);
    }
    lines.next[bucket] = place - before + Lines::kPairs;
    lines.filled[bucket] = 0;
  };
  std::size_t i = 0;
  if constexpr (kAhead > 0) {
    for (; i + kAhead < n; ++i) {
      lines.fetch(bucket_of(from.keys[i + kAhead]));
      scatter(i);
    }
  }
  for (; i < n; ++i) scatter(i);
}

namespace scalar {
template <std::size_t kAhead, class Items, class Lines, class BucketOf>
void stream_pairs(Items from, std::size_t n, PackedPairs<Items> to, BucketOf bucket_of,
                  Lines& lines) {
  scatter_by_pair_lines<radix::scalar::MoveLine, kAhead>(from, n, to, bucket_of, lines);
}
}  // namespace scalar

#ifdef SORTLAB_X86
SORTLAB_AVX2_BEGIN
namespace avx2 {
template <std::size_t kAhead, class Items, class Lines, class BucketOf>
void stream_pairs(Items from, std::size_t n, PackedPairs<Items> to, BucketOf bucket_of,
                  Lines& lines) {
  scatter_by_pair_lines<radix::avx2::MoveLine, kAhead>(from, n, to, bucket_of, lines);
}
}  // namespace avx2
SORTLAB_AVX2_END
namespace wide = avx2;
#else
namespace wide = scalar;
#endif

// The parts of a sort that are still to be sorted, in the lists of threads.

/// Pairs [begin, begin + size) in the order of the result: a bucket, or a part of one.
struct Part {
  std::size_t begin, size;
  // Their keys differ at most in so many low bits; kUnknownWidth: not computed.
  std::int16_t width = 0;
  std::int16_t depth = 0;  // how many partitions they went through
  bool landed = false;     // they are in the result's memory as bits; otherwise packed
  bool streams = false;    // the result bypasses the caches
};

/// Parts that any thread may claim. Only one thread adds some, and not while others claim.
class PartList {
 public:
  void clear() { size_ = claimed_ = 0; }
  bool is_empty() const { return size_ == 0; }

  /// Returns false if there is no room.
  bool push(const Part& part) {
    if (size_ == parts_.size()) return false;
    parts_[size_++] = part;
    return true;
  }
  Part pop() { return parts_[--size_]; }

  /// The next part; null: there is none.
  const Part* claim() {
    const std::size_t i =
        peek() == nullptr ? size_ : next().fetch_add(1, std::memory_order_relaxed);
    return i < size_ ? &parts_[i] : nullptr;
  }
  /// Another thread may claim it first.
  const Part* peek() {
    const std::size_t i = next().load(std::memory_order_relaxed);
    return i < size_ ? &parts_[i] : nullptr;
  }

 private:
  std::atomic_ref<std::size_t> next() { return std::atomic_ref(claimed_); }

  std::size_t size_;
  alignas(primitives::kLineBytes) std::size_t claimed_;
  std::array<Part, msd::kMaxBuckets> parts_;
};

/// The lists of one thread.
class PartLists {
 public:
  void clear() {
    for (PartList& list : lists_) list.clear();
    shared.clear();
    turn_ = 0;
  }
  PartList& now() { return lists_[turn_]; }
  PartList& later() { return lists_[1 - turn_]; }
  /// Later is now.
  void turn() {
    now().clear();
    turn_ = 1 - turn_;
  }

  PartList shared;  // for all threads together; the first thread's

 private:
  std::array<PartList, 2> lists_;
  int turn_;
};

/// The memory of one thread.
template <class ItemsT>
struct alignas(kLineBytes) PairState : CountState<typename ItemsT::Key> {
  using Items = ItemsT;
  using Bits = typename Items::Key;

  PairLines<Items, kMaxBuckets> buckets;
  PairLeafMemory<Items> leaf;
  PartLists parts;

  /// Room for kMaxSample keys, between leaves.
  Bits* sample() { return leaf.keys; }

  /// Sorts n <= kPairLeafItems pairs of `from` (pair_leaf::sort()).
  template <class From>
  void sort_leaf(From from, Items to, std::size_t n, int width, Isa isa, const LeafOutput& output,
                 const Ahead& ahead) {
    pair_leaf::sort(from, to, n, width, leaf.for_deal(), leaf, isa, output, ahead);
  }
};

}  // namespace sortlab::cpu::radix::pairs
