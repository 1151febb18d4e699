// Enters the buckets of an MSD radix sort whose first level is done apart from the others, because its bins go to several
// GPUs: all keys as the only bucket of level 0, which is counted and scattered but not planned; then the bins that arrived
// as buckets of level 1.
#pragma once

#include "gpu/primitives/grid/msd/plan_level.cuh"

namespace sortlab::gpu::msd {

/// Enters all keys, raw and in data, with a digit of digit_bits. All threads of a grid call it; this is number `thread`.
__device__ inline void enter_all(const Plan& plan, unsigned digit_bits, unsigned key_bits,
                                 unsigned thread, unsigned threads) {
  const auto tiles = static_cast<unsigned>((plan.n + plan.tile - 1) / plan.tile);
  for (unsigned t = thread; t < tiles; t += threads) plan.even.tile_bucket[t] = 0;
  for (unsigned b = thread; b < 1u << digit_bits; b += threads) plan.even.bins[b] = 0;
  if (thread > 0) return;
  Bucket all{};
  all.end = plan.n;
  all.min = ~Count{0};
  all.range_bits = key_bits;
  all.digit_bits = digit_bits;
  all.mode = Mode::scatter;
  all.is_raw = 1;
  plan.even.buckets[0] = all;
  plan.counters[0] = {1, 1u << digit_bits, tiles, 1};
  *plan.left = {0, 0};
}

/// Enters a bin of keys of more than one value, which lie encoded in alternate, as a bucket of level 1 or as a leaf. All lanes
/// of a warp call it.
__device__ inline void enter_bin(const Plan& plan, std::size_t begin, std::size_t end, Count low,
                                 unsigned range_bits) {
  if (begin == end) return;
  if (end - begin <= plan.max_leaf) {
    if (lane_id() == 0) {
      push_leaf(
          plan,
          {begin, {low, ~Count{0} >> (64 - range_bits)}, static_cast<unsigned>(end - begin), 1, 0});
    }
    return;
  }
  Bucket bucket{};
  bucket.begin = begin;
  bucket.end = end;
  bucket.low = low;
  bucket.range_bits = range_bits;
  bucket.side = 1;
  NewBucket entered{};
  if (lane_id() == 0) entered = push_bucket(plan, 1, bucket);
  finish_bucket(plan, 1, from_lane(entered, 0), lane_id(), kWarp);
}

}  // namespace sortlab::gpu::msd
