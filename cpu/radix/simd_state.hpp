// What cpu/radix/simd works with: the digit of a key within a range, and the memory of a thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "cpu/quick/simd_state.hpp"

namespace sortlab::radix_simd {

using quick::choose_splitters;
using quick::Splitters;

template <class Key>
using Offset = std::make_unsigned_t<Key>;

/// The keys [lowest, lowest + last].
template <class Key>
struct Range {
  Key lowest;
  Offset<Key> last;
};

/// Cuts a range into equal parts, which need not be a power of two: a key's digit is the number of
/// its part. Keys beyond the range have the digit `ways`.
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
  /// Of a key within the range.
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

/// Cuts a range into parts of about as many keys each, as far as a sample tells: the digits follow
/// the distribution of the keys, taken as even within each of 512 cells of the range.
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
  int left, right;  // by which an offset is shifted
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
    // No cell is quite empty: the sample may have missed its keys.
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

inline constexpr std::size_t kLineBytes = 64;
inline constexpr std::size_t kBlockBytes = 4096;
template <class Key>
inline constexpr std::size_t kLineKeys = kLineBytes / sizeof(Key);
template <class Key>
inline constexpr std::size_t kBlockKeys = kBlockBytes / sizeof(Key);

/// The most buckets of a distribution, the one for keys beyond the range not counted, and the most
/// slots that a bucket is cut into.
inline constexpr std::size_t kMostWays = 2046;
inline constexpr std::size_t kMostSlots = 2046;

/// Room for a bucket cut into slots, and once more as many keys.
inline constexpr std::size_t kScratchBytes = std::size_t{4} << 20;
template <class Key>
inline constexpr std::size_t kScratchKeys = kScratchBytes / sizeof(Key);
template <class Key>
inline constexpr std::size_t kMostInCache = kScratchKeys<Key> / 3;

/// What a distribution hands out to the threads: batches of the input, and blocks of memory to
/// write to. So a thread that is held up has the less to do.
///
///   alternate | block 0 | block 1 | ...        the memory that the harness lends for a copy,
///   workspace | ... | block m | block m + 1    and beyond it
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
  alignas(kLineBytes) Key lines[kMostWays + 1][kLineKeys<Key>];  // what does not fill a line yet
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

template <class Key>
struct alignas(kBlockBytes) ThreadState {
  alignas(kLineBytes) std::byte slack[kLineBytes];
  alignas(kLineBytes) std::byte scratch[kScratchBytes];
  alignas(kLineBytes) std::byte more_slack[16 * kLineBytes];
  alignas(kLineBytes) std::uint32_t first[kMostSlots + 2];  // place in scratch where it begins ...
  alignas(kLineBytes) std::uint32_t place[kMostSlots + 2];  // ... and where its next key goes
  std::uint32_t uneven;   // the last buckets with too full a slot, in a row ...
  std::uint32_t skipped;  // ... and how many were not tried after them
  Chains<Key> chains;

  /// Of keys, or of what is stored of them.
  template <class Stored = Key>
  Stored* scratch_of() {
    return reinterpret_cast<Stored*>(scratch);
  }
};

/// A bucket of all threads' chains, or n keys in one piece.
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
  Range<Key> (*range_of)(const Key* keys, std::size_t n, Key flip);
  void (*distribute)(const Key* from, std::size_t n, const Digits<Key>& digits, Supply& supply,
                     ThreadState<Key>& state, Key flip, bool stream);
  void (*distribute_by_curve)(const Key* from, std::size_t n, const Curve<Key>& curve,
                              Supply& supply, ThreadState<Key>& state, Key flip, bool stream);
  void (*sort_bucket)(const Bucket<Key>& bucket, const Range<Key>& range, ThreadState<Key>& state,
                      Key* to, Key flip, bool stream);
  std::size_t (*sort_beyond)(const Bucket<Key>& bucket, const Range<Key>& range,
                             ThreadState<Key>& state, Key* front, Key* end, Key flip);
  void (*sort_few)(Key* keys, Key* other, std::size_t n, Key flip);
  void (*gather)(const Bucket<Key>& bucket, Key* to, Key flip);
};

}  // namespace sortlab::radix_simd
