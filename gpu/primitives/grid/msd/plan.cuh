// The buckets of an MSD radix sort, planned on the device: the ranges of the array that are still
// to be split, the bits for this, and the leaves that a block sorts alone.
//
// A bucket occupies the same places in both buffers, so buckets need no extra memory: `side` says
// which buffer has its keys, 0 for data, 1 for alternate.
#pragma once

#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::msd {

constexpr unsigned kMaxDigitBits = 8;
constexpr unsigned kMaxBins = 1u << kMaxDigitBits;
constexpr unsigned kMinDigitBits = 5;  // with fewer, a bad input would have many levels
constexpr unsigned kMaxLevels =
    64;  // 13 digits of 5 bits, as many levels that only count, and pivots
constexpr unsigned kPivotLevels = 3;  // that may split by pivots, after those that even keys need

/// What happens to a bucket once its digits are counted.
enum class Mode : unsigned {
  scatter,  // to its bins, in the other buffer
  fill,     // a bin holds one value: write it to data as often as counted
  nothing   // already sorted in data, or counted again on the next level
};

/// The range of the keys, or of their equalized numbers: all are in [low, low + 2^range_bits).
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
  std::uint8_t is_equalized;
  std::uint8_t has_pivot;  // which is `low`, and splits it (pivot.cuh)

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

/// The equalization of keys, if they are equalized, and the data for this decision.
struct Equalizing {
  unsigned is_on;
  unsigned blocks_done;
  Count
      most_large;  // keys in bins that are too large for a leaf with which further levels are worth it
  Count min;       // of the sample
  Count max;
  unsigned weight[2 * kPrefixes];  // keys of the sample, of each half of a prefix
  Equalizer equalizer;
};

/// The plan. Levels use `even` and `odd` in turn.
struct Plan {
  Counters* counters;  // of each level
  Level even;
  Level odd;
  Leaf* leaves;
  unsigned* leaf_count;
  unsigned* is_left;  // whether the fall-back sorts the keys: then nothing else is done
  Count* large_keys;  // in bins that are too large for a leaf
  unsigned tile;      // keys a tile; tiles begin at multiples of it
  unsigned max_leaf;  // keys a leaf
  unsigned max_digit_bits;
  std::size_t n;
  std::size_t state_bytes;  // counters to large_keys, which begin as zeros

  // How all keys are split, if the plan is for one sort only.
  unsigned first_bits = 0;           // the first digit
  unsigned ahead_bits = 0;           // the second, if it is counted with the first, else 0
  unsigned number_bits = 0;          // of the keys' equalized numbers: both digits
  unsigned even_levels = 0;          // levels that evenly spread keys need
  bool falls_back = false;           // if their bins are too large for leaves, see are_left
  Equalizing* equalizing = nullptr;  // null if keys are never equalized
  bool raw_is_data = true;           // the keys that are given lie in data
  unsigned* fall_back = nullptr;     // memory that must be zero for the fall-back
  std::size_t fall_back_words = 0;

  /// The bins of both digits, if they are counted together: the first bins of the second level.
  SORTLAB_HD unsigned bins_ahead() const { return 1u << (first_bits + ahead_bits); }

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
    counters = layout.take<Counters>(kMaxLevels + 1);
    leaf_count = layout.take<unsigned>(1);
    large_keys = layout.take<Count>(1);
    state_bytes = layout.bytes();
    is_left = layout.take<unsigned>(1);
    for (Level* const level : {&even, &odd}) {
      level->buckets = layout.take<Bucket>(max_buckets);
      level->bins = layout.take<Count>(max_bins);
      level->tile_bucket = layout.take<unsigned>(n / tile + 2 * max_buckets + 1);
    }
    leaves = layout.take<Leaf>(max_leaves(n, max_leaf, key_bits));
  }

  /// A level makes at most three leaves per half of max_leaf keys that it puts into leaves (see
  /// starts_leaf), and one more for each bucket and child. At most `levels` levels split: two by
  /// equalized numbers, some by pivots, the others by at least kMinDigitBits.
  static std::size_t max_leaves(std::size_t n, std::size_t max_leaf, unsigned key_bits) {
    const std::size_t levels = 2 + kPivotLevels + (key_bits + kMinDigitBits - 1) / kMinDigitBits;
    return (6 + 2 * levels) * (n / max_leaf + 1) + 1;
  }
};

/// `count`, or 0 if the fall-back sorts the keys.
__device__ __forceinline__ unsigned unless_left(const Plan& plan, unsigned count) {
  return *plan.is_left ? 0 : count;
}

/// The writes that a newly entered bucket still needs: its tiles' entries, and zeros in its
/// counters.
struct NewBucket {
  unsigned index;
  unsigned first_tile;
  unsigned tiles;
  unsigned first_bin;
  unsigned bins;  // that are not counted yet
};

/// Enters a bucket in a level's list. `filled` 64ths of its range have keys.
__device__ inline NewBucket push_bucket(const Plan& plan, unsigned level, Bucket bucket,
                                        unsigned filled = 64) {
  Counters& counters = plan.counters[level];
  unsigned bins = 0;
  if (bucket.is_counted && bucket.range_bits == 0) {  // one value
    bins = 1;
    bucket.first_bin = atomicAdd(&counters.bins, bins);
  } else if (!bucket.is_counted) {
    bucket.digit_bits = choose_digit_bits(bucket.size(), bucket.range_bits, plan.max_leaf,
                                          plan.max_digit_bits, filled);
    bucket.min = ~Count{0};
    bucket.max = 0;
    bins = 1u << bucket.digit_bits;
    bucket.first_bin = atomicAdd(&counters.bins, bins);
    atomicAdd(&counters.uncounted, 1u);
  }
  const auto tiles =
      static_cast<unsigned>((bucket.end - 1) / plan.tile - bucket.begin / plan.tile) + 1;
  bucket.first_tile = atomicAdd(&counters.tiles, tiles);
  const unsigned index = atomicAdd(&counters.buckets, 1u);
  plan.level(level).buckets[index] = bucket;
  return {index, bucket.first_tile, tiles, bucket.first_bin, bins};
}

/// Does the writes that push_bucket left, with `threads` threads; this is number `thread`.
__device__ inline void finish_bucket(const Plan& plan, unsigned level, const NewBucket& bucket,
                                     unsigned thread, unsigned threads) {
  const Level to = plan.level(level);
  for (unsigned t = thread; t < bucket.tiles; t += threads) {
    to.tile_bucket[bucket.first_tile + t] = bucket.index;
  }
  for (unsigned b = thread; b < bucket.bins; b += threads) to.bins[bucket.first_bin + b] = 0;
}

__device__ inline void push_leaf(const Plan& plan, Leaf leaf) {
  plan.leaves[atomicAdd(plan.leaf_count, 1u)] = leaf;
}

/// A block enters n raw keys in data as the first bucket, or as the only leaf.
__device__ inline void plan_all(const Plan& plan, std::size_t n, unsigned key_bits,
                                NewBucket& s_all) {
  if (n <= plan.max_leaf) {
    if (threadIdx.x == 0) {
      push_leaf(plan, {0, {0, ~Count{0} >> (64 - key_bits)}, static_cast<unsigned>(n), 0, 1});
    }
    return;
  }
  if (threadIdx.x == 0) {
    Bucket all{};
    all.end = n;
    all.range_bits = key_bits;
    all.is_raw = 1;
    s_all = push_bucket(plan, 0, all);
  }
  __syncthreads();
  finish_bucket(plan, 0, s_all, threadIdx.x, blockDim.x);
}

/// The memory of a block that plans a bucket's children.
template <unsigned kThreadsT, unsigned kBins = kMaxBins>
struct SplitShared {
  static constexpr unsigned kThreads = kThreadsT;
  Count warp_sums[kThreads / kWarp];
  Count start[kBins + 1];  // of bin b, from the bucket's begin
  NewBucket child[kBins];  // on the next level
  unsigned children;
};

/// Whether bin b begins a leaf. A leaf is one bin of half of max_leaf or more, or neighbours that
/// are smaller and begin in the same window of that many keys: at most max_leaf together.
///
///     windows   |           |           |           |
///     bins      [a][b][  c ][d][      e      ][f][g][h]       leaves: abc, d, e, f, gh
__device__ inline bool starts_leaf(const Count* s_start, unsigned bin, unsigned max_leaf) {
  if (bin == 0) return true;
  const unsigned half = max_leaf / 2;
  const Count before = s_start[bin - 1], here = s_start[bin], after = s_start[bin + 1];
  return here - before >= half || after - here >= half || before / half != here / half;
}

/// The first of the entries [first, end) of `start`, which rise, that is `least` or more; or `end`.
template <class Starts>
__device__ inline unsigned first_from(const Starts& start, unsigned first, unsigned end,
                                      Count least) {
  while (first < end) {
    const unsigned middle = (first + end) / 2;
    if (start[middle] < least) {
      first = middle + 1;
    } else {
      end = middle;
    }
  }
  return first;
}

/// The first and the last bin of a leaf that hold keys, and the bin behind the leaf.
struct LeafBins {
  unsigned first;
  unsigned last;
  unsigned end;
};

/// The leaf that begins with bin `bin`: all bins up to the next that starts_leaf(). By binary search, as
/// one thread may have a thousand empty bins before it. Not inlined: a kernel of all levels would spill.
template <class Starts>
__device__ __noinline__ LeafBins leaf_bins(const Starts& start, unsigned bin, unsigned bins,
                                           unsigned max_leaf) {
  const unsigned half = max_leaf / 2;
  const Count begin = start[bin];
  // The next leaf begins in another window, or with the bin that reaches into it, if that is large.
  unsigned end = first_from(start, bin + 1, bins, (begin / half + 1) * half);
  if (end - 1 > bin && start[end] - start[end - 1] >= half) --end;
  return {first_from(start, bin + 1, end, begin + 1) - 1,
          first_from(start, bin + 1, end, start[end]) - 1, end};
}

/// The keys that bins `first` to `last` of a bucket may hold.
__device__ inline KeyRange keys_of(const Plan& plan, const Bucket& bucket, unsigned first,
                                   unsigned last) {
  if (bucket.has_pivot) {  // bins: below, equal, above
    const Count pivot = bucket.low;
    const Count from = first == 0 ? bucket.min : pivot + (first - 1);
    const Count to = last == 0 ? pivot - 1 : last == 1 ? pivot : bucket.max;
    return {from, to - from};
  }
  const Count low = bucket.low + (Count{first} << bucket.shift());
  const Count behind = bucket.low + (Count{last + 1} << bucket.shift());
  if (!bucket.is_equalized) return {low, behind - 1 - low};
  return plan.equalizing->equalizer.keys_of(static_cast<unsigned>(low),
                                            static_cast<unsigned>(behind - 1));
}

/// The buffer of a bucket's children after the split, and whether their keys are raw.
struct Children {
  std::uint8_t side;
  std::uint8_t are_raw;
};

/// The bucket that a bin of `size` keys becomes on the next level.
template <class Shared>
__device__ __forceinline__ Bucket child_of(const Plan& plan, unsigned level, const Bucket& bucket,
                                           unsigned bin, Count size, Children children,
                                           const Shared& s) {
  Bucket child{};
  child.begin = bucket.begin + s.start[bin];
  child.end = child.begin + size;
  child.low = bucket.low + (Count{bin} << bucket.shift());
  child.range_bits = bucket.shift();
  child.side = children.side;
  child.is_raw = children.are_raw;
  child.is_equalized = bucket.is_equalized && level + 1 < plan.even_levels;
  if (bucket.has_pivot || (bucket.is_equalized && !child.is_equalized)) {
    const KeyRange keys = keys_of(plan, bucket, bin, bin);
    child.low = keys.low;
    child.range_bits = bit_width(keys.span);
    if (bucket.has_pivot && keys.span == 0) {
      child.is_counted = 1;
      child.min = child.max = keys.low;
    }
  }
  if (level == 0 && plan.ahead_bits > 0) {
    child.is_counted = 1;
    child.digit_bits = plan.ahead_bits;
    child.first_bin = bin << plan.ahead_bits;
  }
  return child;
}

/// Enters the leaf that begins with bin `bin`, if it has any keys.
template <class Shared>
__device__ __forceinline__ void push_leaf_at(const Plan& plan, const Bucket& bucket, unsigned bin,
                                             unsigned bins, Children children, const Shared& s) {
  const LeafBins leaf = leaf_bins(s.start, bin, bins, plan.max_leaf);
  const Count leaf_size = s.start[leaf.end] - s.start[bin];
  if (leaf_size > 0) {
    push_leaf(plan, {bucket.begin + s.start[bin], keys_of(plan, bucket, leaf.first, leaf.last),
                     static_cast<unsigned>(leaf_size), children.side, children.are_raw});
  }
}

/// Bins of more than max_leaf keys go to the next level, the others become leaves.
template <class Shared>
__device__ void plan_children(const Plan& plan, unsigned level, const Bucket& bucket, unsigned bins,
                              Children children, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  if (threadIdx.x == 0) s.children = 0;
  __syncthreads();
  for (unsigned bin = threadIdx.x; bin < bins; bin += kThreads) {
    const Count size = s.start[bin + 1] - s.start[bin];
    if (size > plan.max_leaf) {
      const Bucket child = child_of(plan, level, bucket, bin, size, children, s);
      s.child[atomicAdd(&s.children, 1u)] = push_bucket(plan, level + 1, child);
    } else if (starts_leaf(s.start, bin, plan.max_leaf)) {
      push_leaf_at(plan, bucket, bin, bins, children, s);
    }
  }
  __threadfence_block();
  __syncthreads();
  for (unsigned c = warp_id(); c < s.children; c += kThreads / kWarp) {
    finish_bucket(plan, level + 1, s.child[c], lane_id(), kWarp);
  }
  __syncthreads();
}

/// Leaves all keys to the fall-back if too many keys are in bins that are still too large for a
/// leaf after the levels that evenly spread keys need. If no levels follow, one key in such a bin
/// is enough.
template <class Shared>
__device__ bool leave_to_fall_back(const Plan& plan, const Count* counts, unsigned bins,
                                   Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  __shared__ bool s_leave;
  Count mine = 0;
  for (unsigned b = threadIdx.x; b < bins; b += kThreads) {
    if (counts[b] > plan.max_leaf) mine += counts[b];
  }
  Count large;
  block_exclusive_scan<kThreads>(mine, &large, s.warp_sums);
  if (threadIdx.x == 0) {
    const Count all = large == 0 ? 0 : atomicAdd(plan.large_keys, large) + large;
    s_leave = all > (plan.equalizing == nullptr ? 0 : plan.equalizing->most_large);
    if (s_leave) *plan.is_left = 1;
  }
  __syncthreads();
  return s_leave;
}

/// Blocks other than the first decide the same for their share of the bins of two digits.
template <class Shared>
__device__ void check_bins_ahead(const Plan& plan, Shared& s) {
  const unsigned each = plan.bins_ahead() / (gridDim.x - 1);
  leave_to_fall_back(plan, plan.odd.bins + (blockIdx.x - 1) * each, each, s);
}

/// Leaves a bucket to the next level, which counts it again, with digits from the highest bits in which
/// its keys differ: range_bits.
template <class Shared>
__device__ __forceinline__ void narrow_bucket(const Plan& plan, unsigned level, unsigned index,
                                              Bucket& bucket, unsigned range_bits, Shared& s) {
  if (threadIdx.x == 0) {
    plan.level(level).buckets[index].mode = Mode::nothing;
    bucket.low = bucket.min;
    bucket.range_bits = range_bits;
    s.child[0] =
        push_bucket(plan, level + 1, bucket, filled_64ths(bucket.max - bucket.min, range_bits));
  }
  __threadfence_block();
  __syncthreads();
  finish_bucket(plan, level + 1, s.child[0], threadIdx.x, Shared::kThreads);
  __syncthreads();
}

/// Turns a bucket's counts into places: in `counts` where each bin's keys go in the array, in s.start
/// where each bin begins in the bucket. The entry behind the last bin is left to the caller.
template <class Shared>
__device__ __forceinline__ void place_bins(Count* counts, unsigned bins, const Bucket& bucket,
                                           Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  const unsigned each = bins > kThreads ? bins / kThreads : 1;
  const unsigned first = threadIdx.x * each;
  Count mine = 0;
  for (unsigned b = first; b < first + each && b < bins; ++b) mine += counts[b];
  Count sum;
  Count start = block_exclusive_scan<kThreads>(mine, &sum, s.warp_sums);
  for (unsigned b = first; b < first + each && b < bins; ++b) {
    const Count count = counts[b];
    counts[b] = bucket.begin + start;
    s.start[b] = start;
    start += count;
  }
}

/// Chooses the Mode of a counted bucket, and plans its children. If its keys turn out to be in a
/// smaller range, it is counted again instead.
template <class Shared>
__device__ void plan_bucket(const Plan& plan, unsigned level, unsigned index, Shared& s) {
  constexpr unsigned kWastedBits = 3;
  const Level here = plan.level(level);
  Bucket bucket = here.buckets[index];
  const unsigned bins = 1u << bucket.digit_bits;
  Count* const counts = here.bins + bucket.first_bin;

  const unsigned range_bits =
      bucket.is_counted ? bucket.range_bits : bit_width(bucket.max - bucket.min);
  const bool is_one_value = range_bits == 0;
  if (plan.falls_back && plan.ahead_bits == 0 && level + 1 == plan.even_levels && !is_one_value &&
      leave_to_fall_back(plan, counts, bins, s)) {
    return;
  }
  // Keys that may go to the fall-back or be equalized are not narrowed on the levels that evenly
  // spread keys need.
  const bool is_narrow = (!plan.falls_back || level >= plan.even_levels) && !is_one_value &&
                         !bucket.has_pivot && range_bits + kWastedBits <= bucket.range_bits;
  if (is_narrow) {
    narrow_bucket(plan, level, index, bucket, range_bits, s);
    return;
  }
  place_bins(counts, bins, bucket, s);
  if (threadIdx.x == 0) {
    s.start[bins] = bucket.size();
    const bool is_done = is_one_value && bucket.is_raw && plan.raw_is_data;
    const bool is_counted = is_one_value || (bucket.shift() == 0 && !bucket.is_equalized);
    here.buckets[index].mode = is_done ? Mode::nothing : is_counted ? Mode::fill : Mode::scatter;
  }
  __syncthreads();
  if (!is_one_value && (bucket.shift() > 0 || bucket.is_equalized)) {
    plan_children(plan, level, bucket, bins, {static_cast<std::uint8_t>(bucket.side ^ 1), 0}, s);
  }
}

template <class Shared>
__device__ void plan_level(const Plan& plan, unsigned level, Shared& s) {
  // If the fall-back has been chosen, there are buckets on the first level only. One thread reads
  // this, because another block may choose the fall-back at any time.
  if (level == 0 && __syncthreads_or(threadIdx.x == 0 && *plan.is_left)) return;
  const unsigned buckets = plan.counters[level].buckets;
  for (unsigned b = blockIdx.x; b < buckets; b += gridDim.x) plan_bucket(plan, level, b, s);
}

}  // namespace sortlab::gpu::msd
