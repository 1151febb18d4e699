// The plan of an MSD radix sort: the ranges of the array that are still to be split, the bits for this, and the
// leaves that a block sorts alone. plan_level.cuh makes it, on the device.
//
// A bucket occupies the same places in both buffers, so buckets need no extra memory: `side` says
// which buffer has its keys, 0 for data, 1 for alternate.
#pragma once

#include "common/utils.hpp"
#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/launch/workspace.cuh"

namespace sortlab::gpu::msd {

constexpr unsigned kMaxDigitBits = 8;
constexpr unsigned kMaxBins = 1u << kMaxDigitBits;
constexpr unsigned kMinDigitBits = 5;  // with fewer, a bad input would have many levels
constexpr unsigned kMaxLevels = 64;    // 13 digits of 5 bits, and as many levels that only count

/// What happens to a bucket once its digits are counted.
enum class Mode : unsigned {
  scatter,  // to its bins, in the other buffer
  fill,     // a bin holds one value: write it to data as often as counted
  nothing   // already sorted in data, or counted again on the next level
};

/// All its keys are in [low, low + 2^range_bits).
struct Bucket {
  std::size_t begin;
  std::size_t end;
  Count low;
  Count min;  // of all keys, exactly, once counted
  Count max;
  unsigned range_bits;
  unsigned digit_bits;
  unsigned first_bin;   // of its 2^digit_bits counters; later each the next free place of its bin
  unsigned first_tile;  // in the level's list
  Mode mode;
  std::uint8_t side;
  std::uint8_t is_raw;      // keys not yet encoded, and where they were given
  std::uint8_t is_counted;  // with the level before, so that min and max are unknown

  SORTLAB_HD unsigned shift() const { return range_bits - digit_bits; }
  SORTLAB_HD std::size_t size() const { return end - begin; }
};

struct Counters {
  unsigned buckets;
  unsigned bins;
  unsigned tiles;
  unsigned uncounted;  // buckets
};

/// The buckets of a level, and the tiles that they are cut in: tile t is of bucket tile_bucket[t].
struct Level {
  Bucket* buckets;
  Count* bins;
  unsigned* tile_bucket;
};

/// The aimed-for number of keys in a leaf. It leaves some room, because even evenly spread keys
/// give leaves of different sizes.
SORTLAB_HD inline unsigned full_leaf(unsigned max_leaf) { return max_leaf / 8 * 7; }

/// How many 64ths of 2^range_bits are keys from 0 to `span`.
SORTLAB_HD inline unsigned filled_64ths(Count span, unsigned range_bits) {
  return range_bits < 6 ? 64 : static_cast<unsigned>(span >> (range_bits - 6)) + 1;
}

/// The bits of a digit. They are enough that keys which are spread evenly over so many 64ths of their
/// range need as few levels as possible for leaves of at most 7/8 of max_leaf; the levels share the bits.
SORTLAB_HD inline unsigned choose_digit_bits(std::size_t size, unsigned range_bits,
                                             unsigned max_leaf, unsigned max_digit_bits,
                                             unsigned filled = 64) {
  const std::size_t leaves = size / full_leaf(max_leaf);
  const unsigned bits = bit_width(leaves * 64 / filled);
  const unsigned levels = (bits + max_digit_bits - 1) / max_digit_bits;
  unsigned digit_bits = levels > 1 ? (bits + levels - 1) / levels : bits;
  if (digit_bits < kMinDigitBits) digit_bits = kMinDigitBits;
  return digit_bits < range_bits ? digit_bits : range_bits;
}

/// Whether the fall-back sorts the keys, so that nothing else is done: by a look at a sample before they are counted,
/// or by the counts.
struct Left {
  unsigned by_look;
  unsigned by_counts;
};

/// The plan. Levels use `even` and `odd` in turn.
struct Plan {
  Counters* counters;  // of each level
  Level even;
  Level odd;
  Leaf* leaves;
  unsigned* leaf_count;
  unsigned* blocks_done;  // that have counted
  Left* left;
  unsigned tile;      // keys a tile; tiles begin at multiples of it
  unsigned max_leaf;  // keys a leaf
  unsigned max_digit_bits;
  std::size_t n;
  std::size_t state_bytes;  // counters and what follows, which begin as zeros

  // How all keys are split, if the plan is for one sort only.
  unsigned first_bits = 0;        // the first digit
  unsigned ahead_bits = 0;        // the second, if it is counted with the first, else 0
  unsigned even_levels = 0;       // levels that evenly spread keys need
  unsigned filled = 64;           // 64ths of the range that have keys
  bool falls_back = false;        // if a bin is too large for a leaf after these levels
  bool raw_is_data = true;        // the keys that are given lie in data
  unsigned* fall_back = nullptr;  // memory that must be zero for the fall-back
  std::size_t fall_back_words = 0;
  unsigned* weighing = nullptr;  // and for the map that spreads the keys
  std::size_t weighing_words = 0;

  /// The bins of both digits, if they are counted together: the first bins of the second level.
  SORTLAB_HD unsigned bins_ahead() const { return 1u << (first_bits + ahead_bits); }

  /// Whether all is counted at the start, which is where the sweeps of keys that a look has left are planned, too.
  SORTLAB_HD bool counts_once() const { return even_levels == 1 || ahead_bits > 0; }
  /// Whether the look has left the keys to sweeps that the kernel planned that would else have counted. Kernels behind that
  /// one may ask before it has ended, as it lets none start before the look is done.
  __device__ bool is_swept_at_once() const { return counts_once() && __ldcg(&left->by_look) != 0; }
  /// Whether the sweeps are needed and not planned yet, after the counts.
  __device__ bool sweeps_are_due() const {
    return left->by_look ? !counts_once() : left->by_counts != 0;
  }

  // Returns by value and selects by a condition: an index would put the kernel's copy of the plan
  // in local memory.
  __device__ Level level(unsigned number) const {
    const bool is_even = number % 2 == 0;
    return {is_even ? even.buckets : odd.buckets, is_even ? even.bins : odd.bins,
            is_even ? even.tile_bucket : odd.tile_bucket};
  }

  Plan(Layout& layout, std::size_t n, unsigned tile, unsigned max_leaf, unsigned max_digit_bits,
       unsigned key_bits)
      : tile(tile), max_leaf(max_leaf), max_digit_bits(max_digit_bits), n(n) {
    // Buckets are larger than a leaf and do not overlap.
    const std::size_t max_buckets = n / max_leaf + 1;
    const std::size_t max_bins =
        max_buckets * (1u << kMinDigitBits) + 5 * n / max_leaf + (std::size_t{1} << max_digit_bits);
    const std::size_t begin = layout.bytes();
    counters = layout.take<Counters>(kMaxLevels + 1);
    leaf_count = layout.take<unsigned>(1);
    blocks_done = layout.take<unsigned>(1);
    state_bytes = layout.bytes() - begin;
    left = layout.take<Left>(1);
    for (Level* const level : {&even, &odd}) {
      level->buckets = layout.take<Bucket>(max_buckets);
      level->bins = layout.take<Count>(max_bins);
      level->tile_bucket = layout.take<unsigned>(n / tile + 2 * max_buckets + 1);
    }
    leaves = layout.take<Leaf>(max_leaves(n, max_leaf, key_bits));
  }

  /// A level makes at most three leaves per half of max_leaf keys that it puts into leaves (see
  /// starts_leaf), and one more for each bucket and child. At most `levels` levels split, each by at
  /// least kMinDigitBits.
  static std::size_t max_leaves(std::size_t n, std::size_t max_leaf, unsigned key_bits) {
    const std::size_t levels = (key_bits + kMinDigitBits - 1) / kMinDigitBits;
    return (6 + 2 * levels) * (n / max_leaf + 1) + 1;
  }
};

/// `count`, or 0 if the fall-back sorts the keys.
__device__ __forceinline__ unsigned unless_left(const Plan& plan, unsigned count) {
  return plan.left->by_look || plan.left->by_counts ? 0 : count;
}

/// The most blocks that are of use for the tiles of a level.
inline std::size_t level_blocks(const Plan& plan) {
  return ceil_div(plan.n, plan.tile) + plan.n / plan.max_leaf / 8 + 1;
}

// The tiles of buckets. Mode says what a block does with one.

/// A tile: places [begin, end) of the array, all of one bucket.
struct Tile {
  std::size_t begin;
  std::size_t end;
};

__device__ inline Tile tile_of(const Plan& plan, const Bucket& bucket, unsigned tile) {
  const std::size_t window = bucket.begin / plan.tile + (tile - bucket.first_tile);
  const std::size_t begin = window * plan.tile;
  const std::size_t end = begin + plan.tile;
  return {begin > bucket.begin ? begin : bucket.begin, end < bucket.end ? end : bucket.end};
}

template <class Bits>
__device__ __forceinline__ KeyDigit<Bits> digit_of(const Bucket& bucket) {
  return {static_cast<Bits>(bucket.low), bucket.shift()};
}

/// A tile and its bucket, planned.
struct TileTask {
  Bucket bucket;
  Tile tile;

  __device__ unsigned count() const { return static_cast<unsigned>(tile.end - tile.begin); }
};

/// Tile t of the level, if there is one.
__device__ inline void find_task(const Plan& plan, unsigned number, unsigned t, TileTask& s_task) {
  const Level level = plan.level(number);
  if (t < plan.counters[number].tiles) {
    s_task.bucket = level.buckets[level.tile_bucket[t]];
    s_task.tile = tile_of(plan, s_task.bucket, t);
  } else {
    s_task.bucket.mode = Mode::nothing;
  }
}

}  // namespace sortlab::gpu::msd
