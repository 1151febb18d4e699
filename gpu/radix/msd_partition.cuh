// One level of an MSD radix sort over the tiles of its buckets: count the digits of each bucket,
// then scatter its keys to their bins.
//
// Keys alone need no stability, so a key's rank in its bin is what an atomic in shared memory
// returns, and a block's place in the bin is what an atomic on the bin's next free place returns:
// no ballots and no look-back.
//
//     tile   [ 5 2 7 2 0 5 ... ]  rank: 0 0 0 1 0 1      s_start: scan of the tile's counts
//     s_keys [ 0 .. 2 2 .. 5 5 .. 7 ]                    s_start[digit] + rank
//     to     [ .. 0 .. | .. 2 2 .. | .. 5 5 .. | .. ]    runs, each where its block claimed room
#pragma once

#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/tile.cuh"
#include "gpu/radix/msd_plan.cuh"

namespace sortlab::msd {

/// The two buffers as unsigned integers, and how raw keys become ones that sort.
template <class Bits>
struct Buffers {
  Bits* data;
  Bits* alternate;
  gpu::KeyMap<Bits> key_map;

  __device__ Bits* side(unsigned number) const { return number == 0 ? data : alternate; }

  __device__ gpu::KeyMap<Bits> key_map_if(bool is_raw) const {
    return is_raw ? key_map : gpu::KeyMap<Bits>{};
  }
};

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
__device__ __forceinline__ unsigned bin_of(Bits key, Bits low, unsigned shift) {
  return static_cast<unsigned>((key - low) >> shift);
}

/// The rank of this lane's key in its bin: one atomic a lane. All lanes call; `has_key` says who
/// takes part. Lanes in the bin of the first lane share one atomic when the warp is `crowded`, as
/// atomics on one address take turns: presorted or repeated keys would cost ten times as much.
template <bool kCrowded>
__device__ __forceinline__ unsigned claim_rank(unsigned* s_counts, unsigned bin, bool has_key) {
  if constexpr (!kCrowded) {
    return has_key ? atomicAdd(&s_counts[bin], 1u) : 0;
  } else {
    const unsigned active = __ballot_sync(gpu::kAllLanes, has_key);
    if (active == 0) return 0;
    const int leader = __ffs(static_cast<int>(active)) - 1;
    const unsigned leader_bin = __shfl_sync(gpu::kAllLanes, bin, leader);
    const bool shares = has_key && bin == leader_bin;
    const unsigned sharing = __ballot_sync(gpu::kAllLanes, shares);
    unsigned rank = 0;
    const bool is_leader = static_cast<int>(gpu::lane_id()) == leader;
    if (is_leader || (has_key && !shares)) {
      rank = atomicAdd(&s_counts[bin], is_leader ? __popc(sharing) : 1u);
    }
    const unsigned shared_rank = __shfl_sync(gpu::kAllLanes, rank, leader);
    return shares ? shared_rank + __popc(gpu::lanes_below(sharing)) : rank;
  }
}

/// Whether many lanes of the warp have their key in one bin.
__device__ __forceinline__ bool is_crowded(unsigned bin) {
  constexpr int kMany = 8;
  const unsigned first = __shfl_sync(gpu::kAllLanes, bin, 0);
  return __popc(__ballot_sync(gpu::kAllLanes, bin == first)) >= kMany;
}

/// Keys that one 16-byte load brings.
template <class Bits>
constexpr unsigned kVector = 16 / sizeof(Bits);

template <class Bits>
struct alignas(16) Vector {
  Bits key[kVector<Bits>];
};

/// Makes the compiler compute again what it derived from `key`, rather than hold on to it: bins of
/// 16 keys and more would not fit the registers beside the keys.
template <class Bits, unsigned kItems>
__device__ __forceinline__ void forget_derived(Bits (&key)[kItems]) {
#ifdef __CUDA_ARCH__
  #pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    if constexpr (sizeof(Bits) == 8) {
      asm volatile("" : "+l"(key[u]));
    } else {
      asm volatile("" : "+r"(key[u]));
    }
  }
#endif
}

// ---- Counting ----

template <unsigned kValue>
using Constant = std::integral_constant<unsigned, kValue>;

struct CountShared {
  unsigned counts[kMaxBins];
  Count min;
  Count max;
};

/// Adds what the block counted to the bucket's counters, and starts anew.
template <unsigned kThreads>
__device__ void flush_counts(const Level& level, Bucket& bucket, CountShared& s) {
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

/// Counts a tile's digits in shared memory, as many vectors a thread at a time as keep memory busy.
template <unsigned kThreads, class Bits>
__device__ void count_tile(const Buffers<Bits>& buffers, const Bucket& bucket, Tile tile,
                           CountShared& s) {
  const Bits* const keys = buffers.side(bucket.side);
  const auto key_map = buffers.key_map_if(bucket.is_raw);
  const auto low = static_cast<Bits>(bucket.low);
  const unsigned shift = bucket.shift();
  Bits min = ~Bits{0};
  Bits max = 0;
  const auto count_key = [&](Bits raw, bool has_key, bool crowded) {
    const Bits key = key_map.ordered(raw);
    const unsigned bin = has_key ? bin_of(key, low, shift) : 0;
    if (crowded) {
      claim_rank<true>(s.counts, bin, has_key);
    } else if (has_key) {
      atomicAdd(&s.counts[bin], 1u);
    }
    if (has_key && key < min) min = key;
    if (has_key && key > max) max = key;
  };

  const auto count_vectors = [&](std::size_t i, auto unroll) {
    constexpr unsigned kUnroll = decltype(unroll)::value;
    Vector<Bits> v[kUnroll];
#pragma unroll
    for (unsigned u = 0; u < kUnroll; ++u) {
      v[u] = reinterpret_cast<const Vector<Bits>*>(keys + i)[u * kThreads + threadIdx.x];
    }
    const bool crowded = is_crowded(bin_of(key_map.ordered(v[0].key[0]), low, shift));
#pragma unroll
    for (unsigned u = 0; u < kUnroll; ++u) {
#pragma unroll
      for (unsigned k = 0; k < kVector<Bits>; ++k) count_key(v[u].key[k], true, crowded);
    }
  };

  constexpr unsigned kStep = kThreads * kVector<Bits>;
  const auto misaligned = static_cast<unsigned>(
      reinterpret_cast<std::uintptr_t>(keys + tile.begin) / sizeof(Bits) % kVector<Bits>);
  std::size_t i = tile.begin;
  if (misaligned > 0) {
    const std::size_t aligned = tile.begin + (kVector<Bits> - misaligned);
    i = aligned < tile.end ? aligned : tile.end;
    const std::size_t mine = tile.begin + threadIdx.x;
    count_key(mine < i ? keys[mine] : Bits{0}, mine < i, true);
  }
  for (; i + kStep * 4 <= tile.end; i += kStep * 4) count_vectors(i, Constant<4>{});
  for (; i + kStep <= tile.end; i += kStep) count_vectors(i, Constant<1>{});
  for (; i < tile.end; i += kThreads) {
    const bool has_key = i + threadIdx.x < tile.end;
    count_key(has_key ? keys[i + threadIdx.x] : Bits{0}, has_key, true);
  }

#pragma unroll
  for (unsigned distance = gpu::kWarp / 2; distance > 0; distance /= 2) {
    const Bits other_min = __shfl_xor_sync(gpu::kAllLanes, min, distance);
    const Bits other_max = __shfl_xor_sync(gpu::kAllLanes, max, distance);
    if (other_min < min) min = other_min;
    if (other_max > max) max = other_max;
  }
  if (gpu::lane_id() == 0 && min <= max) {
    if (min < s.min) atomicMin(&s.min, Count{min});
    if (max > s.max) atomicMax(&s.max, Count{max});
  }
}

/// Each block counts a stretch of the level's tiles, and hands in its counts a bucket at a time.
template <unsigned kThreads, class Bits>
__device__ void count_level(const Plan& plan, unsigned number, const Buffers<Bits>& buffers,
                            CountShared& s) {
  const Level level = plan.level(number);
  const unsigned tiles = plan.counters[number].tiles;
  const auto first = static_cast<unsigned>(Count{tiles} * blockIdx.x / gridDim.x);
  const auto end = static_cast<unsigned>(Count{tiles} * (blockIdx.x + 1) / gridDim.x);
  if (first == end) return;
  for (unsigned b = threadIdx.x; b < kMaxBins; b += kThreads) s.counts[b] = 0;
  if (threadIdx.x == 0) {
    s.min = ~Count{0};
    s.max = 0;
  }
  __syncthreads();
  for (unsigned t = first; t < end;) {
    // The tiles of a bucket follow each other: those in the stretch are counted as one.
    Bucket& bucket = level.buckets[level.tile_bucket[t]];
    const std::size_t begin = tile_of(plan, bucket, t).begin;
    const std::size_t stretch_end =
        begin / plan.tile * plan.tile + std::size_t{end - t} * plan.tile;
    const std::size_t stop = stretch_end < bucket.end ? stretch_end : bucket.end;
    count_tile<kThreads>(buffers, bucket, {begin, stop}, s);
    flush_counts<kThreads>(level, bucket, s);
    t += static_cast<unsigned>((stop - 1) / plan.tile - begin / plan.tile) + 1;
  }
}

// ---- Scattering ----

/// Shared memory of a block that scatters a tile of kTile keys.
template <class BitsT, unsigned kThreadsT, unsigned kItemsT, unsigned kBinsT = kMaxBins>
struct ScatterShared {
  using Bits = BitsT;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;  // a thread
  static constexpr unsigned kBins = kBinsT;    // at most
  static_assert(kBins <= kThreads && kThreads * kItems < 1u << 16);

  Vector<Bits> keys[kThreads * kItems / kVector<Bits>];
  Count to[kBins];         // where a bin's keys go, less their place in `keys`
  unsigned counts[kBins];  // then where in `keys` each bin starts
  unsigned warp_sums[kThreads / gpu::kWarp];

  __device__ Bits* tile() { return keys[0].key; }
};

/// Thread t's keys of a tile. In a full tile it loads vectors of neighbours.
template <unsigned kThreads, unsigned kItems, class Bits>
__device__ __forceinline__ void load_tile(const Bits* from, unsigned count,
                                          gpu::KeyMap<Bits> key_map, bool is_full,
                                          Bits (&key)[kItems]) {
  constexpr unsigned kV = kVector<Bits>;
  if (is_full) {
#pragma unroll
    for (unsigned u = 0; u < kItems / kV; ++u) {
      const auto v = reinterpret_cast<const Vector<Bits>*>(from)[u * kThreads + threadIdx.x];
#pragma unroll
      for (unsigned k = 0; k < kV; ++k) key[u * kV + k] = v.key[k];
    }
  } else {
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      const unsigned i = u * kThreads + threadIdx.x;
      key[u] = i < count ? from[i] : Bits{0};
    }
  }
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) key[u] = key_map.ordered(key[u]);
}

/// Ranks of two keys, 16 bits each.
template <unsigned kThreads, unsigned kItems, bool kCrowded, class Bits>
__device__ __forceinline__ void rank_keys(const Bits (&key)[kItems], Bits low, unsigned shift,
                                          unsigned count, bool is_full, unsigned* s_counts,
                                          unsigned (&rank)[kItems / 2]) {
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const bool has_key = is_full || u * kThreads + threadIdx.x < count;
    const unsigned mine = claim_rank<kCrowded>(s_counts, bin_of(key[u], low, shift), has_key);
    rank[u / 2] = u % 2 == 0 ? mine : rank[u / 2] | mine << 16;
  }
}

/// Claims room for the tile's keys in each bin, and turns counts into starts.
template <class Shared>
__device__ __forceinline__ void claim_room(Count* d_next, unsigned bins, Shared& s) {
  const unsigned bin = threadIdx.x;
  const unsigned count = bin < bins ? s.counts[bin] : 0;
  const Count next = count > 0 ? atomicAdd(&d_next[bin], Count{count}) : 0;
  unsigned all;
  const unsigned start = block_exclusive_scan<Shared::kThreads>(count, &all, s.warp_sums);
  if (bin < bins) {
    s.counts[bin] = start;
    s.to[bin] = next - start;
  }
}

template <class Bits, class Shared>
__device__ void scatter_tile(const Buffers<Bits>& buffers, const Bucket& bucket, Tile tile,
                             Count* d_next, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kItems = Shared::kItems;
  constexpr unsigned kTile = kThreads * kItems;
  const unsigned bins = 1u << bucket.digit_bits;
  const unsigned count = static_cast<unsigned>(tile.end - tile.begin);
  const auto low = static_cast<Bits>(bucket.low);
  const unsigned shift = bucket.shift();
  const Bits* const from = buffers.side(bucket.side) + tile.begin;
  Bits* const to = buffers.side(bucket.side ^ 1);
  const bool is_full =
      count == kTile && reinterpret_cast<std::uintptr_t>(from) % sizeof(Vector<Bits>) == 0;

  Bits key[kItems];
  unsigned rank[kItems / 2];
  load_tile<kThreads>(from, count, buffers.key_map_if(bucket.is_raw), is_full, key);
  for (unsigned b = threadIdx.x; b < bins; b += kThreads) s.counts[b] = 0;
  __syncthreads();
  if (is_full && !is_crowded(bin_of(key[0], low, shift))) {
    rank_keys<kThreads, kItems, false>(key, low, shift, count, true, s.counts, rank);
  } else {
    rank_keys<kThreads, kItems, true>(key, low, shift, count, is_full, s.counts, rank);
  }
  __syncthreads();
  claim_room(d_next, bins, s);
  __syncthreads();
  forget_derived(key);
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const unsigned mine = u % 2 == 0 ? rank[u / 2] & 0xffff : rank[u / 2] >> 16;
    if (is_full || u * kThreads + threadIdx.x < count) {
      s.tile()[s.counts[bin_of(key[u], low, shift)] + mine] = key[u];
    }
  }
  __syncthreads();
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += kThreads) {
    const Bits k = s.tile()[i];
    to[s.to[bin_of(k, low, shift)] + i] = k;
  }
}

/// Writes a tile of a bucket whose bins hold one value each, to data. Bin b ends before place
/// d_next[b + 1], the last at the bucket's end.
template <class Bits, class Shared>
__device__ void fill_tile(const Buffers<Bits>& buffers, const Bucket& bucket, Tile tile,
                          const Count* d_start, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  const bool is_one_value = bucket.min == bucket.max;
  const unsigned bins = is_one_value ? 1 : 1u << bucket.digit_bits;
  for (unsigned b = threadIdx.x; b < bins; b += kThreads) {
    s.to[b] = is_one_value ? bucket.begin : d_start[b];
  }
  __syncthreads();
  unsigned bin = 0;
  for (std::size_t i = tile.begin + threadIdx.x; i < tile.end; i += kThreads) {
    // The last bin that begins at i or before.
    unsigned end = bins;
    while (end - bin > 1) {
      const unsigned middle = (bin + end) / 2;
      (s.to[middle] <= i ? bin : end) = middle;
    }
    const auto value = static_cast<Bits>((is_one_value ? bucket.min : bucket.low) + bin);
    buffers.data[i] = buffers.key_map.key(value);
  }
}

template <class Bits, class Shared>
__device__ void scatter_level(const Plan& plan, unsigned number, const Buffers<Bits>& buffers,
                              Shared& s) {
  const Level level = plan.level(number);
  const unsigned tiles = plan.counters[number].tiles;
  for (unsigned t = blockIdx.x; t < tiles; t += gridDim.x) {
    const Bucket& bucket = level.buckets[level.tile_bucket[t]];
    const Tile tile = tile_of(plan, bucket, t);
    Count* const d_next = level.bins + bucket.first_bin;
    if (bucket.mode == Mode::scatter) {
      scatter_tile(buffers, bucket, tile, d_next, s);
    } else if (bucket.mode == Mode::fill) {
      fill_tile(buffers, bucket, tile, d_next, s);
    }
    __syncthreads();  // before shared memory is used for the next tile
  }
}

}  // namespace sortlab::msd
