// Buckets of keys, and their sort in a cache, for cpu/radix/simd. It distributes keys to buckets, which are chains of
// blocks; slots.inl.hpp and bucket.inl.hpp sort one with one thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/contract/isa.hpp"
#include "cpu/primitives/intrinsics.hpp"

namespace sortlab::cpu::radix::buckets {

template <class Key>
using Offset = std::make_unsigned_t<Key>;

/// The keys [lowest, lowest + last].
template <class Key>
struct Range {
  Key lowest;
  Offset<Key> last;
};

/// Cuts a range into equal parts, whose number need not be a power of two. A key's digit is the
/// number of its part. Keys beyond the range have the digit `ways`.
///
///   offset  = key - lowest; for keys below the range, too, it is greater than `last`
///   digit   = (offset >> shift) * factor >> 32
template <class Key>
struct Digits {
  Range<Key> range;
  int shift;  // leaves at most 32 bits of the range's offsets
  std::uint32_t factor;
  std::uint32_t ways;

  /// range.last >> shift must be no less than `ways`.
  static Digits of(const Range<Key>& range, std::size_t ways) {
    const int shift = std::max(0, static_cast<int>(std::bit_width(range.last)) - 32);
    const std::uint64_t units = (std::uint64_t{range.last} >> shift) + 1;
    return {range, shift, static_cast<std::uint32_t>((std::uint64_t{ways} << 32) / units),
            static_cast<std::uint32_t>(ways)};
  }
  /// The digit of a key within the range.
  [[gnu::always_inline]] std::uint32_t of_key_within(Key key) const {
    const Offset<Key> offset = offset_of(key);
    const std::uint64_t unit = sizeof(Key) == 8 ? offset >> shift & 0xFFFFFFFF : offset;
    return static_cast<std::uint32_t>(unit * factor >> 32);
  }
  [[gnu::always_inline]] std::uint32_t of_key(Key key) const {
    return offset_of(key) > range.last ? ways : of_key_within(key);
  }
  /// The keys with that digit.
  Range<Key> part(std::size_t digit) const {
    const Offset<Key> first = first_offset(digit);
    const Offset<Key> last = digit + 1 < ways ? first_offset(digit + 1) - 1 : range.last;
    return {static_cast<Key>(static_cast<Offset<Key>>(range.lowest) + first),
            static_cast<Offset<Key>>(last - first)};
  }

 private:
  Offset<Key> offset_of(Key key) const {
    return static_cast<Offset<Key>>(key) - static_cast<Offset<Key>>(range.lowest);
  }
  Offset<Key> first_offset(std::size_t digit) const {
    const std::uint64_t unit = ((std::uint64_t{digit} << 32) + factor - 1) / factor;
    return static_cast<Offset<Key>>(unit << shift);
  }
};

using primitives::kLineBytes, primitives::kLineKeys;

inline constexpr std::size_t kBlockBytes = 4096;
template <class Key>
inline constexpr std::size_t kBlockKeys = kBlockBytes / sizeof(Key);

/// The most buckets of a distribution, without the one for keys beyond the range, and the most
/// slots of a bucket.
inline constexpr std::size_t kMostWays = 2046;
inline constexpr std::size_t kMostSlots = 2046;

/// Room for a bucket cut into slots, and for as many keys again.
inline constexpr std::size_t kScratchBytes = std::size_t{4} << 20;
template <class Key>
inline constexpr std::size_t kScratchKeys = kScratchBytes / sizeof(Key);
template <class Key>
inline constexpr std::size_t kMostInCache = kScratchKeys<Key> / 3;

/// The work and the memory that threads take from a distribution on demand: batches of the input,
/// and blocks to write to. So a slow thread gets less work.
///
///   alternate | block 0 | block 1 | ...        the memory for a copy of the keys,
///   workspace | ... | block m | block m + 1    and the memory behind it
struct Supply {
  std::byte* own;
  std::size_t own_blocks;
  std::byte* extra;
  std::uint32_t* following;  // of a block, the next in its chain
  alignas(kLineBytes) std::atomic<std::size_t> next_batch;
  alignas(kLineBytes) std::atomic<std::uint32_t> next_block;

  static constexpr std::uint32_t kBlocksAtATime = 8;

  std::byte* block(std::uint32_t id) const {
    return id < own_blocks ? own + id * kBlockBytes : extra + (id - own_blocks) * kBlockBytes;
  }
};

/// The buckets of one thread: chains of blocks.
template <class Key>
struct Chains {
  alignas(kLineBytes) Key lines[kMostWays + 1][kLineKeys<Key>];  // keys that do not fill a line yet
  std::size_t counts[kMostWays + 1];
  Key* next[kMostWays + 1];  // where the next line goes; a block's end: into another
  std::uint32_t head[kMostWays + 1], tail[kMostWays + 1];
  std::uint32_t free, free_end;  // blocks to take

  void clear(std::size_t buckets) {
    free = free_end = 0;
    std::fill_n(counts, buckets, std::size_t{0});
    std::fill_n(next, buckets, nullptr);
  }
  /// Appends a block to a bucket.
  Key* add_block(std::size_t bucket, Supply& supply) {
    if (free == free_end) {
      free = supply.next_block.fetch_add(Supply::kBlocksAtATime, std::memory_order_relaxed);
      free_end = free + Supply::kBlocksAtATime;
    }
    const std::uint32_t id = free++;
    (next[bucket] == nullptr ? head[bucket] : supply.following[tail[bucket]]) = id;
    tail[bucket] = id;
    return reinterpret_cast<Key*>(supply.block(id));
  }
};

/// Counters of a narrow range's values, in a thread's scratch. A small number of counters has
/// copies, which take a third of a first-level cache (rootdups at 2^26 on 16 threads: 2552 with
/// copies of 8192, 3362 without counting).
inline constexpr std::size_t kMostCounters = kScratchBytes / sizeof(std::uint32_t);
inline constexpr std::size_t kCountCopies = 4, kMostCopied = 1024;

template <class Key>
struct alignas(kBlockBytes) ThreadState {
  alignas(kLineBytes) std::byte slack[kLineBytes];
  alignas(kLineBytes) std::byte scratch[kScratchBytes];
  alignas(kLineBytes) std::byte more_slack[16 * kLineBytes];
  alignas(kLineBytes) std::uint32_t first[kMostSlots + 2];  // place in scratch where it begins ...
  alignas(kLineBytes) std::uint32_t place[kMostSlots + 2];  // ... and where its next key goes
  std::uint32_t uneven;   // the last buckets with too full a slot, in a row ...
  std::uint32_t skipped;  // ... and how many were not tried after them
  std::size_t counted;    // keys, by the counters that the thread has added up
  Chains<Key> chains;

  /// Slots of keys, or of parts of keys.
  template <class Stored = Key>
  Stored* scratch_of() {
    return reinterpret_cast<Stored*>(scratch);
  }
};

/// A bucket: the chains of all threads, or n keys in one piece.
template <class Key>
struct Bucket {
  const ThreadState<Key>* states;  // null: in one piece
  const Supply* supply;
  int threads;
  std::size_t index;
  const Key* keys;
  std::size_t n;
};

/// The kernels of one instruction set, for the keys of one kind.
template <class Key>
struct BucketCalls {
  /// Sorts a bucket's keys, which are all within the range and at most kMostInCache, to `to` as the user's. Keys in
  /// one piece are the user's, those in chains signed integers.
  void (*sort)(const Bucket<Key>& bucket, const Range<Key>& range, ThreadState<Key>& state, Key* to,
               Key flip, bool stream);
  /// Sorts a bucket's keys, which are below or above the range, to both ends of the user's keys. Returns how many are
  /// below.
  std::size_t (*sort_beyond)(const Bucket<Key>& bucket, const Range<Key>& range,
                             ThreadState<Key>& state, Key* front, Key* end, Key flip);
  /// Copies a bucket's keys to `to`, as the user's.
  void (*gather)(const Bucket<Key>& bucket, Key* to, Key flip);
  /// Counts n of the user's keys by their offset in the range; keys beyond it count as range.last + 1. Neighbours use
  /// counters `stride` apart, so that none waits for an equal key before it.
  void (*count)(const Key* from, std::size_t n, const Range<Key>& range, std::uint32_t* counts,
                std::size_t stride, Key flip);
  /// Writes n keys in the user's form, as many of each value as were counted. It begins at `offset` and skips
  /// the first `skipped` keys of that value.
  void (*write_counted)(const std::uint32_t* counts, const Range<Key>& range, std::size_t offset,
                        std::size_t skipped, Key* to, std::size_t n, Key flip, bool stream);
};

/// For int32_t and int64_t. `kFloat`: the user's keys are floating-point numbers.
template <class Key, bool kFloat>
BucketCalls<Key> calls(Isa isa);

}  // namespace sortlab::cpu::radix::buckets
