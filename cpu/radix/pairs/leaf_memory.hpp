// The memory in which cpu/radix/pairs sorts a leaf (PairLeaf in kernels.inl.hpp), and the bits of which it makes
// digits.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "common/contract/isa_region.hpp"
#include "common/contract/items.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/primitives/simple_sorts.hpp"
#include "cpu/radix/msd/counting.hpp"
#include "cpu/radix/msd/leaf.hpp"
#include "cpu/radix/write_combining.hpp"

namespace sortlab::cpu::radix::pairs {

// Pairs packed in memory, and a scatter of them through buffers of some cache lines per bucket (see
// write_combining.hpp, whose buffers are one line of keys and one of values).
//
//   from    keys k0 k1 k2 ..  values v0 v1 v2 ..
//   lines   [k v, k v, .. , free ]   four or six cache lines for each bucket; full ones move on:
//   to      | k v, k v, ... | k v, k v, ... | ...
//
// A pair takes one store instead of two for separate keys and values, and a scatter has half the
// lines in flight. A full buffer causes an unpredictable branch; twice the pairs per buffer halve
// the number of these branches.

/// A sequence of pairs, 8 or 12 bytes each. It looks like Items.
template <class Items>
class PackedPairs {
  using Bits = typename Items::Key;
  using Value = typename Items::Value;

 public:
  static constexpr std::size_t kBytes = sizeof(Bits) + sizeof(Value);

  explicit PackedPairs(std::byte* bytes) : bytes_(bytes) {}
  std::byte* bytes() const { return bytes_; }
  Bits key(std::size_t i) const {
    Bits key;
    std::memcpy(&key, bytes_ + i * kBytes, sizeof(key));
    return key;
  }
  Item<Bits, Value> operator[](std::size_t i) const {
    const std::byte* const place = bytes_ + i * kBytes;
    if constexpr (kOneWord) {
      std::uint64_t both;
      std::memcpy(&both, place, sizeof(both));
      return {static_cast<Bits>(both), static_cast<Value>(both >> 32)};
    } else {
      Value value;
      std::memcpy(&value, place + sizeof(Bits), sizeof(value));
      return {key(i), value};
    }
  }
  void put(std::size_t i, Item<Bits, Value> pair) const {
    std::byte* const place = bytes_ + i * kBytes;
    if constexpr (kOneWord) {
      const std::uint64_t both = pair.key | std::uint64_t{pair.value} << 32;
      std::memcpy(place, &both, sizeof(both));
    } else {
      std::memcpy(place, &pair.key, sizeof(Bits));
      std::memcpy(place + sizeof(Bits), &pair.value, sizeof(Value));
    }
  }
  PackedPairs from(std::size_t offset) const { return PackedPairs(bytes_ + offset * kBytes); }

 private:
  static constexpr bool kOneWord = kBytes == sizeof(std::uint64_t);  // one load, one store
  std::byte* bytes_;
};

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

// Live bits: the highest bits in which the keys differ. Digits and numbers are made from them.
//
//   keys       a a a 0 0 0 0 b b b b 0 c c c        0: equal in all keys
//   together   a a a b b b b c                      one instruction (CPUs with AVX-512 have it)
//   adjacent   a a a 0 0 0 0 b                      by a shift
//
// Keys made of fields (a row above a column, a tile above a depth, the bytes of a text) have equal
// bits between the fields. These are left out, so they take no space in a digit.

/// Adjacent bits, from the highest live one down.
template <class Bits>
struct AdjacentBits {
  Bits mask;
  int shift;

  /// At most `count` < 32 bits for keys that differ only in `live`, which is not 0.
  static AdjacentBits highest(Bits live, int count) {
    const int width = static_cast<int>(std::bit_width(live));
    const int kept = count < width ? count : width;
    const int shift = width - kept;
    return {static_cast<Bits>(((Bits{1} << kept) - 1) << shift), shift};
  }
  std::size_t values() const { return std::size_t{1} << std::popcount(mask); }
  std::uint32_t operator()(Bits key) const {
    return static_cast<std::uint32_t>((key & mask) >> shift);
  }
};

#ifdef SORTLAB_X86
SORTLAB_AVX512_BEGIN
namespace avx512 {
/// Only live bits, wherever they are.
template <class Bits>
struct LiveBits {
  Bits mask;

  static LiveBits highest(Bits live, int count) {
    const int all = _mm_popcnt_u64(live);
    const std::uint64_t kept = ~std::uint64_t{0} << (count < all ? all - count : 0);
    return {static_cast<Bits>(_pdep_u64(kept, live))};
  }
  std::size_t values() const { return std::size_t{1} << _mm_popcnt_u64(mask); }
  std::uint32_t operator()(Bits key) const {
    return static_cast<std::uint32_t>(_pext_u64(key, mask));
  }
};
}  // namespace avx512
SORTLAB_AVX512_END

namespace avx2 {
template <class Bits>
using LiveBits = AdjacentBits<Bits>;
}
#endif
#ifdef SORTLAB_ARM
namespace neon {
template <class Bits>
using LiveBits = AdjacentBits<Bits>;
}
#endif

using namespace msd;

// The pairs of a leaf fit into the second-level caches of today's servers (1 and 2 MiB).
inline constexpr std::size_t kPairLeafItems = std::size_t{96} << 10;

// A leaf's digit: one cache line per value fits into a first-level cache, or nearly.
inline constexpr int kPairDigitBits = 10;

inline constexpr int kUnknownWidth = -1;

// Larger pieces are sorted digit by digit.
inline constexpr std::size_t kMostNumbered = 4096;

// Vectors may be read and written whole.
inline constexpr std::size_t kSlack = 16;

// This many sorted pairs are collected before they are written: two of a hundred lines are then
// partial.
inline constexpr std::size_t kLeastStaged = 1024;

/// The tables of a sampled digit (SampledDigit).
struct DigitMemory {
  static constexpr std::size_t kValues = std::size_t{1} << kPairDigitBits, kSample = 16 * kValues,
                               kCells = 2 * kValues + kSample;
  std::uint32_t sample[kSample];
  std::uint32_t bins[2 * kValues];  // first cell, and by how many bits the place in the bin shifts
  std::uint16_t digit_of[kCells];
  std::uint16_t sampled[kValues];  // keys, by digit
};

/// The pieces of a deal.
struct Rooms {
  static constexpr std::size_t kMost = std::size_t{1} << kPairDigitBits;
  struct Room {
    std::uint32_t next, end;  // place of the piece's next pair, and where its room ends
  };
  Room rooms[kMost];
  std::uint32_t begin[kMost];
  std::uint32_t next[kMost];  // of a piece that outgrew its room, among those
};

/// The destination of a deal of at most n pairs.
template <class Items>
struct DealMemory {
  PackedPairs<Items> pairs;  // the rooms
  std::size_t capacity;
  PackedPairs<Items> large;  // n pairs: pieces that outgrew their rooms
  std::uint16_t* digits;     // n of them, for pairs without room
  Rooms& rooms;

  /// Enough for a sampled digit.
  static constexpr std::size_t capacity_for(std::size_t n) {
    return n * 21 / 8 + (Rooms::kMost << 6);
  }
  static constexpr std::size_t bytes(std::size_t n) {
    return (capacity_for(n) + n + 2 * kSlack) * PackedPairs<Items>::kBytes +
           n * sizeof(std::uint16_t);
  }
  /// The memory for n pairs, at a line boundary.
  static DealMemory in(std::byte* memory, std::size_t n, Rooms& rooms) {
    const PackedPairs<Items> pairs(memory);
    const PackedPairs<Items> large = pairs.from(capacity_for(n) + kSlack);
    std::byte* const digits = large.from(n + kSlack).bytes();
    return {pairs, capacity_for(n), large, reinterpret_cast<std::uint16_t*>(digits), rooms};
  }
};

template <class Items>
struct PairLeafMemory {
  static constexpr std::size_t kPairs = DealMemory<Items>::capacity_for(kPairLeafItems);

  alignas(kLineBytes) std::byte bytes[(kPairs + kSlack) * PackedPairs<Items>::kBytes];
  alignas(kLineBytes) std::byte large_bytes[(kPairLeafItems + kSlack) * PackedPairs<Items>::kBytes];
  Rooms rooms;
  alignas(kLineBytes) std::int32_t order[kMostNumbered + kSlack];
  alignas(kLineBytes) std::int32_t other[kMostNumbered];
  alignas(kLineBytes) typename Items::Key keys[kLeastStaged + kMostNumbered + kSlack];
  alignas(kLineBytes) typename Items::Value values[kLeastStaged + kMostNumbered + kSlack];
  std::uint16_t digits[kPairLeafItems];  // of pairs without room in their pieces
  DigitMemory digit;
  // A run of pairs that is sorted again.
  alignas(kLineBytes) std::byte run_bytes[(kMostNumbered + kSlack) * PackedPairs<Items>::kBytes];
  LeafCounts counts;  // to sort digit by digit

  PackedPairs<Items> pairs() { return PackedPairs<Items>(bytes); }
  DealMemory<Items> for_deal() {
    return {pairs(), kPairs, PackedPairs<Items>(large_bytes), digits, rooms};
  }
  PackedPairs<Items> run() { return PackedPairs<Items>(run_bytes); }

  /// Memory in which n pairs are sorted: that of n packed pairs, `free`, and the memory before it.
  void sort_by_digits(Items pairs, std::size_t n, PackedPairs<Items> free) {
    using Key = typename Items::Key;
    const auto behind_boundary = reinterpret_cast<std::uintptr_t>(free.bytes()) % alignof(Key);
    auto* const keys = reinterpret_cast<Key*>(free.bytes() - behind_boundary);
    const Items temp{keys, reinterpret_cast<typename Items::Value*>(keys + n)};
    Leaf<Items>(temp, counts).sort(pairs, pairs, n);
  }
};

// Up to this many pairs are one piece. With more pairs, the numbers would have fewer bits of the
// key and often be equal.
inline constexpr std::size_t kFewPairs = 512;

/// The memory in which few pairs are sorted: as much as they need.
template <class Items>
class PairFewMemory {
  template <class T>
  static constexpr std::size_t lines_of(std::size_t n) {
    return ((n + kSlack) * sizeof(T) + kLineBytes - 1) / kLineBytes * kLineBytes;
  }
  template <class T>
  static T* take(std::byte*& from, std::size_t n) {
    return reinterpret_cast<T*>(std::exchange(from, from + lines_of<T>(n)));
  }

 public:
  PairFewMemory(std::byte* memory, std::size_t n)
      : order(take<std::int32_t>(memory, n)),
        other(take<std::int32_t>(memory, n)),
        keys(take<typename Items::Key>(memory, n)),
        values(take<typename Items::Value>(memory, n)),
        pairs(memory) {}

  static constexpr std::size_t bytes_for(std::size_t n) {
    return 2 * lines_of<std::int32_t>(n) + lines_of<typename Items::Key>(n) +
           lines_of<typename Items::Value>(n) +
           std::bit_ceil(n) *
               PackedPairs<Items>::kBytes;  // a vector may read the pair of any place
  }

  std::int32_t *const order, *const other;
  typename Items::Key* const keys;
  typename Items::Value* const values;
  const PackedPairs<Items> pairs;
};

/// How sorted bits are written.
struct LeafOutput {
  void (*restore)(void* bits, std::size_t n);  // turns bits into keys; null: they are keys
  bool stream;                                 // bypassing the caches
};

/// Where pairs go whose keys are less than a frequent key, equal to it, and greater.
template <class Items>
struct Sides {
  Items less, equal, greater;
};

/// Copies n pairs in the order of their places, which are the bits of order[i] in the mask.
template <class Items>
void unpack_one_by_one(PackedPairs<Items> pairs, const std::int32_t* order, std::uint32_t mask,
                       std::size_t n, typename Items::Key* keys, typename Items::Value* values) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto [key, value] = pairs[static_cast<std::uint32_t>(order[i]) & mask];
    keys[i] = key;
    values[i] = value;
  }
}

/// Memory that will be read next, and is prefetched in steps.
struct Ahead {
  const std::byte* next = nullptr;
  const std::byte* end = nullptr;

  void fetch(std::size_t bytes) {
    const std::byte* const to = next + std::min<std::size_t>(bytes, end - next);
    for (; next < to; next += kLineBytes) __builtin_prefetch(next, 0, 2);
  }
};

}  // namespace sortlab::cpu::radix::pairs
