// The digits of cpu/radix/simd, the memory of a thread, its buckets, which are chains of blocks, the kernels, and
// the plan of a sort.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/contract/isa.hpp"
#include "common/utils.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/primitives/simd/keys.hpp"

namespace sortlab::cpu::radix::simd {

// Digits: equal parts of a range, or parts that follow the distribution of the keys.

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

/// Cuts a range into parts with about equally many keys, judged by a sample. The keys are assumed
/// to be spread evenly within each of 512 cells of the range.
///
///   unit   = offset, shifted so that the range has 32 bits:  | cell, 9 bits | fraction of it |
///   digit  = start of the cell + slope of the cell * fraction, both in 2^-21 of a digit
template <class Key>
struct Curve {
  static constexpr int kFraction = 23, kPart = 21;
  static constexpr std::size_t kCells = 512;
  struct Cell {
    std::uint32_t start, slope;
  };
  Range<Key> range;
  std::uint32_t ways;
  int left, right;  // the shifts of an offset
  const Cell* cells;

  /// Writes kCells cells; `sample` is sorted and within the range.
  static Curve of(const Range<Key>& range, std::size_t ways, const Key* sample, std::size_t sampled,
                  Cell* cells) {
    const int bits = std::max(1, static_cast<int>(std::bit_width(range.last)));
    const Curve curve{range, static_cast<std::uint32_t>(ways), std::max(0, 32 - bits),
                      std::max(0, bits - 32), cells};
    std::uint32_t counts[kCells] = {};
    for (std::size_t i = 0; i < sampled; ++i) {
      ++counts[curve.unit_of(curve.offset_of(sample[i])) >> kFraction];
    }
    // No cell counts as empty, because the sample may have missed its keys.
    constexpr double kAtLeast = 0.25;
    const std::uint32_t used = (curve.unit_of(range.last) >> kFraction) + 1;
    const double scale = (static_cast<double>(ways) * (1 << kPart) - 2.0 * kCells) /
                         (static_cast<double>(sampled) + used * kAtLeast);
    std::uint32_t start = 0;
    for (std::uint32_t c = 0; c < used; ++c) {
      cells[c] = {start, static_cast<std::uint32_t>((counts[c] + kAtLeast) * scale) + 1};
      start += cells[c].slope;
    }
    return curve;
  }
  [[gnu::always_inline]] std::uint32_t of_key(Key key) const {
    const Offset<Key> offset = offset_of(key);
    return offset > range.last ? ways : of_offset(offset);
  }
  /// The keys with that digit, if there are any.
  Range<Key> part(std::size_t digit) const {
    const Offset<Key> first = digit == 0 ? 0 : last_offset(digit - 1) + 1;
    return {static_cast<Key>(static_cast<Offset<Key>>(range.lowest) + first),
            static_cast<Offset<Key>>(last_offset(digit) - first)};
  }

 private:
  Offset<Key> offset_of(Key key) const {
    return static_cast<Offset<Key>>(key) - static_cast<Offset<Key>>(range.lowest);
  }
  std::uint32_t unit_of(Offset<Key> offset) const {
    return static_cast<std::uint32_t>((sizeof(Key) == 8 ? offset >> right : offset) << left);
  }
  std::uint32_t of_offset(Offset<Key> offset) const {
    const std::uint32_t unit = unit_of(offset);
    const Cell cell = cells[unit >> kFraction];
    const std::uint64_t fraction = static_cast<std::uint32_t>(unit << (32 - kFraction));
    return (cell.start + static_cast<std::uint32_t>(fraction * cell.slope >> 32)) >> kPart;
  }
  /// The greatest offset of that digit or a lower one.
  Offset<Key> last_offset(std::size_t digit) const {
    Offset<Key> low = 0, high = range.last;
    while (low < high) {
      const Offset<Key> mid = high - (high - low) / 2;
      if (of_offset(mid) <= digit) {
        low = mid;
      } else {
        high = mid - 1;
      }
    }
    return low;
  }
};

using primitives::kLineBytes, primitives::kLineKeys;
using primitives::simd::choose_splitters, primitives::simd::Splitters;

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
struct Calls {
  unsigned (*look)(const Key* keys, std::size_t n, Key flip);
  void (*take_sample)(const Key* from, std::size_t n, Key* sample, std::size_t count, Key flip);
  /// Moves those of n user's keys that are above the pivot behind the others. Returns the number of
  /// the others. n is at least 4096.
  std::size_t (*partition)(Key* keys, std::size_t n, Key pivot, Key flip);
  /// The most bytes of keys that one thread partitions so, into pieces that it sorts in slots.
  std::size_t most_bytes_in_pieces;
  /// Whether many keys differ from the next one in memory by at most `near`. n is at least 4096.
  bool (*neighbours_are_close)(const Key* keys, std::size_t n, Offset<Key> near, Key flip);
  Range<Key> (*range_of)(const Key* keys, std::size_t n, Key flip);
  void (*distribute)(const Key* from, std::size_t n, const Digits<Key>& digits, Supply& supply,
                     ThreadState<Key>& state, Key flip, bool stream);
  void (*distribute_by_curve)(const Key* from, std::size_t n, const Curve<Key>& curve,
                              Supply& supply, ThreadState<Key>& state, Key flip, bool stream);
  void (*sort_bucket)(const Bucket<Key>& bucket, const Range<Key>& range, ThreadState<Key>& state,
                      Key* to, Key flip, bool stream);
  std::size_t (*sort_beyond)(const Bucket<Key>& bucket, const Range<Key>& range,
                             ThreadState<Key>& state, Key* front, Key* end, Key flip);
  void (*count)(const Key* from, std::size_t n, const Range<Key>& range, std::uint32_t* counts,
                std::size_t stride, Key flip);
  void (*write_counted)(const std::uint32_t* counts, const Range<Key>& range, std::size_t offset,
                        std::size_t skipped, Key* to, std::size_t n, Key flip, bool stream);
  void (*sort_few)(Key* keys, std::size_t n, Key flip);
  void (*gather)(const Bucket<Key>& bucket, Key* to, Key flip);
};

/// The kernels, compiled in units of kernels.cpp for int32_t and for int64_t. `kFloat`: the user's keys are
/// floating-point numbers.
template <class Key, bool kFloat>
Calls<Key> kernels_for(Isa isa);

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

/// How n keys are distributed, and the layout of the workspace.
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
