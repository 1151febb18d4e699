// Counts the digits of an MSD radix sort's buckets, and the least and the greatest key of each: a
// block counts in shared memory, and adds that to the bucket's counters.
#pragma once

#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/grid/in_order.cuh"
#include "gpu/primitives/grid/msd/plan.cuh"
#include "gpu/primitives/spread_map.hpp"

namespace sortlab::gpu::msd {

template <unsigned kBinsT = kMaxBins>
struct CountShared {
  static constexpr unsigned kBins = kBinsT;
  unsigned counts[kBins];
  Count min;
  Count max;
};

/// Adds what the block counted to the bucket's counters, and starts again.
template <unsigned kThreads, class Shared>
__device__ void flush_counts(const Level& level, Bucket& bucket, Shared& s) {
  __syncthreads();
  for (unsigned b = threadIdx.x; b < 1u << bucket.digit_bits; b += kThreads) {
    if (s.counts[b] > 0) atomicAdd(&level.bins[bucket.first_bin + b], Count{s.counts[b]});
    s.counts[b] = 0;
  }
  if (threadIdx.x == 0) {
    atomicMin(&bucket.min, s.min);
    atomicMax(&bucket.max, s.max);
    s.min = ~Count{0};
    s.max = 0;
  }
  __syncthreads();
}

/// Whether a digit is found in a table, by a search. Nobody asks for the range of keys that are counted by it.
template <class Digit>
constexpr bool kIsSearch = requires(const Digit& digit) {
  digit.begins;
};

/// What a thread counts of a tile: digits in shared memory, the range of its keys in registers.
template <unsigned kThreads, class Bits, class Map, class Digit, class Shared>
struct TileCounter {
  const Bits* keys;
  Map key_map;
  const Digit& digit;
  Shared& s;
  Bits min = ~Bits{0};
  Bits max = 0;

  /// All lanes call, those with a key take part.
  __device__ __forceinline__ void count_key(Bits raw, bool has_key, bool crowded) {
    const Bits key = key_map.ordered(raw);
    const unsigned bin = has_key ? digit(key) : 0;
    if (crowded) {
      claim_rank<true>(s.counts, bin, has_key);
    } else if (has_key) {
      atomicAdd(&s.counts[bin], 1u);
    }
    if (has_key && key < min) min = key;
    if (has_key && key > max) max = key;
  }

  /// Counts kUnroll vectors of each thread, from key i on.
  template <unsigned kUnroll>
  __device__ __forceinline__ void count_vectors(std::size_t i) {
    Vector<Bits> v[kUnroll];
#pragma unroll
    for (unsigned u = 0; u < kUnroll; ++u) {
      v[u] = reinterpret_cast<const Vector<Bits>*>(keys + i)[u * kThreads + threadIdx.x];
    }
    const unsigned first = digit(key_map.ordered(v[0].key[0]));
    const bool crowded = is_crowded(first);
    if constexpr (kIsSearch<Digit>) {
      return crowded ? count_around(v, __shfl_sync(kAllLanes, first, 0)) : count_found(v);
    }
#pragma unroll
    for (unsigned u = 0; u < kUnroll; ++u) {
#pragma unroll
      for (unsigned k = 0; k < kVector<Bits>; ++k) count_key(v[u].key[k], true, crowded);
    }
  }
  /// Counts keys whose bins are searched for, those of a vector together.
  template <unsigned kUnroll>
  __device__ __forceinline__ void count_found(const Vector<Bits> (&v)[kUnroll]) {
#pragma unroll
    for (unsigned u = 0; u < kUnroll; ++u) {
      Bits key[kVector<Bits>];
      unsigned bin[kVector<Bits>];
#pragma unroll
      for (unsigned k = 0; k < kVector<Bits>; ++k) key[k] = key_map.ordered(v[u].key[k]);
      digit.find(key, bin);
#pragma unroll
      for (unsigned k = 0; k < kVector<Bits>; ++k) atomicAdd(&s.counts[bin[k]], 1u);
    }
  }
  /// Counts keys of which many are in one bin, the same one for all lanes: only the others are searched for.
  template <unsigned kUnroll>
  __device__ __forceinline__ void count_around(const Vector<Bits> (&v)[kUnroll], unsigned bin) {
    const Bits low = digit.begins[bin], span = digit.span(bin);
    unsigned near = 0;
#pragma unroll
    for (unsigned u = 0; u < kUnroll; ++u) {
#pragma unroll
      for (unsigned k = 0; k < kVector<Bits>; ++k) {
        const Bits key = key_map.ordered(v[u].key[k]);
        if (static_cast<Bits>(key - low) <= span) {
          ++near;
        } else {
          atomicAdd(&s.counts[digit(key)], 1u);
        }
      }
    }
    near = warp_sum(near);
    if (lane_id() == 0) atomicAdd(&s.counts[bin], near);
  }

  /// Counts the keys before the first 16-byte boundary; returns where that is.
  __device__ __forceinline__ std::size_t count_head(Tile tile) {
    const auto misaligned = static_cast<unsigned>(
        reinterpret_cast<std::uintptr_t>(keys + tile.begin) / sizeof(Bits) % kVector<Bits>);
    std::size_t i = tile.begin;
    if (misaligned > 0) {
      const std::size_t aligned = tile.begin + (kVector<Bits> - misaligned);
      i = aligned < tile.end ? aligned : tile.end;
      const std::size_t mine = tile.begin + threadIdx.x;
      count_key(mine < i ? keys[mine] : Bits{0}, mine < i, true);
    }
    return i;
  }

  /// Counts the keys from i on, which fill no vector of each thread.
  __device__ __forceinline__ void count_tail(std::size_t i, std::size_t end) {
    for (; i < end; i += kThreads) {
      const bool has_key = i + threadIdx.x < end;
      count_key(has_key ? keys[i + threadIdx.x] : Bits{0}, has_key, true);
    }
  }

  /// Adds the range of the warp's keys to that of the block's.
  __device__ __forceinline__ void add_range() {
    find_warp_range(min, max);
    if (lane_id() == 0 && min <= max) {
      if (min < s.min) atomicMin(&s.min, Count{min});
      if (max > s.max) atomicMax(&s.max, Count{max});
    }
  }
};

/// Counts a tile's digits in shared memory, as many vectors a thread at a time as keep memory busy.
template <unsigned kThreads, class Bits, class Map, class Digit, class Shared>
__device__ void count_tile(const Buffers<Bits, Map>& buffers, const Bucket& bucket, Digit digit,
                           Tile tile, Shared& s) {
  constexpr unsigned kStep = kThreads * kVector<Bits>;
  TileCounter<kThreads, Bits, Map, Digit, Shared> counter{
      buffers.keys_of(bucket), buffers.key_map_if(bucket.is_raw), digit, s};
  std::size_t i = counter.count_head(tile);
  for (; i + kStep * 4 <= tile.end; i += kStep * 4) counter.template count_vectors<4>(i);
  for (; i + kStep <= tile.end; i += kStep) counter.template count_vectors<1>(i);
  counter.count_tail(i, tile.end);
  counter.add_range();
}

/// Clears the first `bins` counts and the range.
template <unsigned kThreads, class Shared>
__device__ __forceinline__ void clear_counts(unsigned bins, Shared& s) {
  for (unsigned b = threadIdx.x; b < bins; b += kThreads) s.counts[b] = 0;
  if (threadIdx.x == 0) {
    s.min = ~Count{0};
    s.max = 0;
  }
}

/// Leaves all keys to the fall-back if one has escaped from the map that spreads them (spread_map.hpp).
template <class Bits, class Shared>
__device__ __forceinline__ void note_escapes(const Plan& plan, const Bucket& bucket,
                                             const Shared& s) {
  __syncthreads();
  if (threadIdx.x == 0 && bucket.is_raw && s.max >= Spread<Bits>::kEscaped)
    plan.left->by_counts = 1;
}

/// Each block counts a stretch of the level's tiles, and adds its counts a bucket at a time.
/// `digit_of_bucket` makes what finds the bin of a key.
template <unsigned kThreads, class Bits, class Map, class DigitOf, class Shared>
__device__ void count_level(const Plan& plan, unsigned number, const Buffers<Bits, Map>& buffers,
                            DigitOf digit_of_bucket, Shared& s) {
  const Level level = plan.level(number);
  const unsigned tiles = unless_left(plan, plan.counters[number].tiles);
  const auto first = static_cast<unsigned>(Count{tiles} * blockIdx.x / gridDim.x);
  const auto end = static_cast<unsigned>(Count{tiles} * (blockIdx.x + 1) / gridDim.x);
  if (first == end || plan.counters[number].uncounted == 0) return;
  clear_counts<kThreads>(Shared::kBins, s);
  __syncthreads();
  for (unsigned t = first; t < end;) {
    // The tiles of a bucket follow each other: those in the stretch are counted as one.
    Bucket& bucket = level.buckets[level.tile_bucket[t]];
    const std::size_t begin = tile_of(plan, bucket, t).begin;
    const std::size_t stretch_end =
        begin / plan.tile * plan.tile + std::size_t{end - t} * plan.tile;
    const std::size_t stop = stretch_end < bucket.end ? stretch_end : bucket.end;
    if (!bucket.is_counted) {
      count_tile<kThreads>(buffers, bucket, digit_of_bucket(bucket), {begin, stop}, s);
      if constexpr (kMayEscape<Map>) note_escapes<Bits>(plan, bucket, s);
      flush_counts<kThreads>(level, bucket, s);
    }
    t += static_cast<unsigned>((stop - 1) / plan.tile - begin / plan.tile) + 1;
  }
}

/// Adds the counts of a wide digit to the counters of both levels: `bins` bins of the first digit, and all
/// bins of both. Blocks begin with different bins, so that they do not wait for each other's atomics.
template <unsigned kThreads, class Shared>
__device__ __forceinline__ void add_counts_ahead(const Plan& plan, unsigned bins, Shared& s) {
  constexpr unsigned kWarps = kThreads / kWarp;
  for (unsigned i = warp_id(); i < bins; i += kWarps) {
    const unsigned bin = (i + blockIdx.x * kWarps) % bins;
    unsigned sum = 0;
    for (unsigned d = lane_id(); d < 1u << plan.ahead_bits; d += kWarp) {
      const unsigned both = bin << plan.ahead_bits | d;
      const unsigned count = s.counts[both];
      if (count > 0) atomicAdd(&plan.odd.bins[both], Count{count});
      sum += count;
    }
    sum = warp_sum(sum);
    if (lane_id() == 0 && sum > 0) atomicAdd(&plan.even.bins[bin], Count{sum});
  }
}

/// Each block counts the only digit of its share of all keys, or two, as one wide digit.
template <unsigned kThreads, class Bits, class Map, class Shared>
__device__ void count_all(const Plan& plan, const Buffers<Bits, Map>& buffers, Shared& s) {
  Bucket& all = plan.even.buckets[0];
  Bucket wide = all;
  wide.digit_bits = all.digit_bits + plan.ahead_bits;
  clear_counts<kThreads>(1u << wide.digit_bits, s);
  __syncthreads();
  constexpr std::size_t kStep = 4 * kThreads * kVector<Bits>;
  const std::size_t steps = (plan.n + kStep - 1) / kStep;
  const std::size_t begin = steps * blockIdx.x / gridDim.x * kStep;
  const std::size_t end = steps * (blockIdx.x + 1) / gridDim.x * kStep;
  if (begin == end) return;
  const Tile mine{begin, end < plan.n ? end : plan.n};
  count_tile<kThreads>(buffers, wide, digit_of<Bits>(wide), mine, s);
  if constexpr (kMayEscape<Map>) note_escapes<Bits>(plan, wide, s);
  if (plan.ahead_bits == 0) {
    flush_counts<kThreads>(plan.even, all, s);
    return;
  }
  __syncthreads();
  add_counts_ahead<kThreads>(plan, 1u << all.digit_bits, s);
  if (threadIdx.x == 0) {
    atomicMin(&all.min, s.min);
    atomicMax(&all.max, s.max);
  }
}

constexpr unsigned kCountBlocksAnSm = 3;
constexpr unsigned kCountThreads = 512;

/// Counts the digits of a level.
template <unsigned kBins, class Bits, class Map>
__global__ void __launch_bounds__(kCountThreads, kCountBlocksAnSm)
    count_digits(Plan plan, unsigned level, Buffers<Bits, Map> buffers) {
  __shared__ CountShared<kBins> s;
  await_previous_kernel();
  count_level<kCountThreads>(plan, level, buffers, digit_of<Bits>, s);
}

}  // namespace sortlab::gpu::msd
