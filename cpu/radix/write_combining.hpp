// A scatter through a buffer of one cache line per bucket (software write-combining).
//
// Items are collected in lines, which stay in the nearest caches, and are written a whole line at a
// time. So a thread writes to a few hundred nearby lines instead of as many distant pages, which
// saves TLB misses. A line written with non-temporal stores need not be read first, which saves a
// third of the scatter's traffic.
//
// Source: Satish et al., "Fast Sort on CPUs and GPUs", SIGMOD 2010, section 4; Wassenberg and Sanders,
// "Engineering a Multi-core Radix Sort", Euro-Par 2011.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

#include "common/contract/isa_region.hpp"
#include "common/contract/items.hpp"
#include "cpu/primitives/intrinsics.hpp"

namespace sortlab::cpu::radix {

using primitives::kLineBytes, primitives::SixteenBytes, primitives::load_16, primitives::store_16,
    primitives::stream_16;

/// The buffers with which one thread scatters. They are whole cache lines, so that no two threads
/// ever write to one line.
template <std::size_t kMaxBuckets>
struct alignas(kLineBytes) Buckets {
  std::size_t begin[kMaxBuckets];  // where its range in each bucket begins (see Destination) ...
  std::size_t next[kMaxBuckets];   // ... and where the next item goes
  alignas(kLineBytes) std::byte key_lines[kMaxBuckets][kLineBytes];
  alignas(kLineBytes) std::byte value_lines[kMaxBuckets][kLineBytes];
};

/// The array that a pass writes to. Places in it are counted from the cache line boundary at or
/// before its first key, so that place % kItemsPerLine == 0 means: a cache line of keys begins
/// here.
///
///      line 0           line 1           line 2
///   | . . . k0 k1 k2 | k3 k4 ...      |
///     \___/
///      lead: places that belong to others
template <class Items>
struct Destination {
  static constexpr std::size_t kItemsPerLine = kLineBytes / sizeof(typename Items::Key);

  Items items;
  std::size_t lead;

  explicit Destination(Items to)
      : items(to),
        lead(reinterpret_cast<std::uintptr_t>(to.keys) / sizeof(typename Items::Key) %
             kItemsPerLine) {}

  typename Items::Key* key_at(std::size_t place) const { return items.keys + (place - lead); }
  typename Items::Value* value_at(std::size_t place) const { return items.values + (place - lead); }
};

/// Moves the buffered items of one bucket, places [first, last) of one line, to the destination.
template <class Items, class Buckets>
void move_part_of_line(const Destination<Items>& to, const Buckets& buckets, std::size_t bucket,
                       std::size_t first, std::size_t last) {
  constexpr std::size_t kItems = Destination<Items>::kItemsPerLine;
  using Key = typename Items::Key;
  std::memcpy(to.key_at(first), buckets.key_lines[bucket] + first % kItems * sizeof(Key),
              (last - first) * sizeof(Key));
  if constexpr (Items::kPairs) {
    using Value = typename Items::Value;
    std::memcpy(to.value_at(first), buckets.value_lines[bucket] + first % kItems * sizeof(Value),
                (last - first) * sizeof(Value));
  }
}

/// Ends a scatter: moves the remaining items in the lines of the first `count` buckets.
template <class Items, class Buckets>
void empty_lines(const Destination<Items>& to, const Buckets& buckets, std::size_t count) {
  constexpr std::size_t kItems = Destination<Items>::kItemsPerLine;
  for (std::size_t bucket = 0; bucket < count; ++bucket) {
    const std::size_t end = buckets.next[bucket];
    const std::size_t rest = std::max(buckets.begin[bucket], end - end % kItems);
    if (rest < end) move_part_of_line(to, buckets, bucket, rest, end);
  }
}

/// Scatters n items straight to the destination.
template <class Items, class Buckets, class BucketOf>
void scatter_plain(Items from, std::size_t n, const Destination<Items>& to, BucketOf bucket_of,
                   Buckets& buckets) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto item = from[i];
    to.items.put(buckets.next[bucket_of(item.key)]++ - to.lead, item);
  }
}

/// Scatters n items through the lines; empty_lines() ends a scatter.
///
///   from   | 2 0 1 0 2 0 ...            the chunk, in order
///   lines  [0 0 0 .] [1 . . .] [2 2 . .]     one line per bucket; a full one moves on:
///   to     |...0 0 0 0|....|1 1...|....|2 2 2 2 2...|
///           begin next      b  n        b        n     this thread's range in each bucket
///
/// Invariant: the items of places [begin, next) of a bucket are in the destination up to the last
/// line boundary at or before `next`, and beyond it in the buffer.
template <class MoveLine, class Items, class Buckets, class BucketOf>
[[gnu::always_inline]] inline void scatter_by_lines(Items from, std::size_t n,
                                                    const Destination<Items>& to,
                                                    BucketOf bucket_of, Buckets& buckets) {
  using Key = typename Items::Key;
  using Value = typename Items::Value;
  constexpr std::size_t kItems = Destination<Items>::kItemsPerLine;
  constexpr MoveLine move_line;

  for (std::size_t i = 0; i < n; ++i) {
    const auto [key, value] = from[i];
    const std::size_t bucket = bucket_of(key);
    const std::size_t place = buckets.next[bucket]++;
    const std::size_t slot = place % kItems;
    reinterpret_cast<Key*>(buckets.key_lines[bucket])[slot] = key;
    if constexpr (Items::kPairs) {
      reinterpret_cast<Value*>(buckets.value_lines[bucket])[slot] = value;
    }
    if (slot == kItems - 1) {
      const std::size_t line = place - slot;
      if (line >= buckets.begin[bucket]) {
        move_line(to.key_at(line), buckets.key_lines[bucket], kItems * sizeof(Key));
        if constexpr (Items::kPairs) {
          move_line(to.value_at(line), buckets.value_lines[bucket], kItems * sizeof(Value));
        }
      } else {  // the previous thread writes the front of this line
        move_part_of_line(to, buckets, bucket, buckets.begin[bucket], place + 1);
      }
    }
  }
}

// Moves a whole line of the buffer. Lines of keys begin at line boundaries by construction. Lines
// of values do so only if their array is aligned like the keys'; with 64-bit keys they are half a
// line.

namespace scalar {
struct MoveLine {
  void operator()(void* place, const std::byte* line, std::size_t bytes) const {
    const auto* source = std::assume_aligned<kLineBytes>(line);
    auto* target = static_cast<std::byte*>(place);
    const bool stream = reinterpret_cast<std::uintptr_t>(place) % kLineBytes == 0;
    for (std::size_t i = 0; i < bytes; i += sizeof(SixteenBytes)) {
      const SixteenBytes part = load_16(source + i);
      stream ? stream_16(target + i, part) : store_16(target + i, part);
    }
  }
};

template <class Items, class Buckets, class BucketOf>
void stream_by_lines(Items from, std::size_t n, const Destination<Items>& to, BucketOf bucket_of,
                     Buckets& buckets) {
  scatter_by_lines<MoveLine>(from, n, to, bucket_of, buckets);
}
}  // namespace scalar

#ifdef SORTLAB_X86
SORTLAB_AVX2_BEGIN
namespace avx2 {
struct MoveLine {
  void operator()(void* place, const std::byte* line, std::size_t bytes) const {
    const auto* source = reinterpret_cast<const __m256i*>(line);
    auto* target = static_cast<__m256i*>(place);
    const bool stream = reinterpret_cast<std::uintptr_t>(place) % kLineBytes == 0;
    for (std::size_t i = 0; i < bytes / sizeof(__m256i); ++i) {
      const __m256i part = _mm256_load_si256(source + i);
      stream ? _mm256_stream_si256(target + i, part) : _mm256_storeu_si256(target + i, part);
    }
  }
};

template <class Items, class Buckets, class BucketOf>
void stream_by_lines(Items from, std::size_t n, const Destination<Items>& to, BucketOf bucket_of,
                     Buckets& buckets) {
  scatter_by_lines<MoveLine>(from, n, to, bucket_of, buckets);
}
}  // namespace avx2
SORTLAB_AVX2_END
namespace wide = avx2;  // the widest stores of this build
#else
namespace wide = scalar;
#endif

/// Without it, non-temporal stores become visible to other threads in any order.
inline void publish_lines() { primitives::publish_streams(); }

}  // namespace sortlab::cpu::radix
