// A level of an MSD radix sort, planned on the device once its digits are counted: where the keys of each bin go,
// which bins become buckets of the next level, and which ones leaves.
#pragma once

#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/grid/in_order.cuh"
#include "gpu/primitives/grid/msd/plan.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::msd {

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
  if (!bucket.is_counted) {
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
    s_all = push_bucket(plan, 0, all, plan.filled);
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
__device__ inline KeyRange keys_of(const Bucket& bucket, unsigned first, unsigned last) {
  return {bucket.low + (Count{first} << bucket.shift()),
          (Count{last - first + 1} << bucket.shift()) - 1};
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
    push_leaf(plan, {bucket.begin + s.start[bin], keys_of(bucket, leaf.first, leaf.last),
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

/// Leaves all keys to the fall-back if a bin is still too large for a leaf after the levels that evenly
/// spread keys need.
__device__ inline bool leave_to_fall_back(const Plan& plan, const Count* counts, unsigned bins) {
  bool is_large = false;
  for (unsigned b = threadIdx.x; b < bins; b += blockDim.x) is_large |= counts[b] > plan.max_leaf;
  if (!__syncthreads_or(is_large)) return false;
  if (threadIdx.x == 0) plan.left->by_counts = 1;
  return true;
}

/// Blocks other than the first decide the same for their share of the bins of two digits.
__device__ inline void check_bins_ahead(const Plan& plan) {
  const unsigned each = plan.bins_ahead() / (gridDim.x - 1);
  leave_to_fall_back(plan, plan.odd.bins + (blockIdx.x - 1) * each, each);
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
      leave_to_fall_back(plan, counts, bins)) {
    return;
  }
  // Keys that may go to the fall-back are not narrowed.
  const bool is_narrow =
      !plan.falls_back && !is_one_value && range_bits + kWastedBits <= bucket.range_bits;
  if (is_narrow) {
    narrow_bucket(plan, level, index, bucket, range_bits, s);
    return;
  }
  place_bins(counts, bins, bucket, s);
  if (threadIdx.x == 0) {
    s.start[bins] = bucket.size();
    const bool is_done = is_one_value && bucket.is_raw && plan.raw_is_data;
    const bool is_counted = is_one_value || bucket.shift() == 0;
    here.buckets[index].mode = is_done ? Mode::nothing : is_counted ? Mode::fill : Mode::scatter;
  }
  __syncthreads();
  if (!is_one_value && bucket.shift() > 0) {
    plan_children(plan, level, bucket, bins, {static_cast<std::uint8_t>(bucket.side ^ 1), 0}, s);
  }
}

/// Blocks plan the buckets of a level: this one, number `block` of `blocks`, its share.
template <class Shared>
__device__ void plan_level(const Plan& plan, unsigned level, unsigned block, unsigned blocks,
                           Shared& s) {
  // One thread reads this, because another block may choose the fall-back at any time. What is planned then all
  // the same, no kernel does.
  if (level == 0 && __syncthreads_or(threadIdx.x == 0 && unless_left(plan, 1) == 0)) return;
  const unsigned buckets = plan.counters[level].buckets;
  for (unsigned b = block; b < buckets; b += blocks) plan_bucket(plan, level, b, s);
}

constexpr unsigned kPlanThreads = 1024;

/// Plans the buckets of a level.
template <class Shared>
__global__ void __launch_bounds__(Shared::kThreads, 1) plan_buckets(Plan plan, unsigned level) {
  auto& s = *reinterpret_cast<Shared*>(dynamic_shared());
  if (plan.is_swept_at_once()) return;
  await_previous_kernel();
  if (level == 0 && blockIdx.x > 0) {
    check_bins_ahead(plan);
  } else {
    plan_level(plan, level, blockIdx.x, gridDim.x, s);
  }
}

}  // namespace sortlab::gpu::msd
