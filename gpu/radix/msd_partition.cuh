// One level of an MSD radix sort over the tiles of its buckets: count the digits of each bucket,
// then scatter its keys to their bins.
//
// Keys alone need no stability, so a key's rank in its bin is what an atomic in shared memory
// returns, and a block's place in the bin is what an atomic on the bin's next free place returns:
// no ballots and no look-back.
//
//     tile   [ 5 2 7 2 0 5 ... ]
//     slots  [ 0 . . . | 2 2 . . | 5 5 . . | 7 . . . ]     as many for each bin: slot = rank
//     to     [ .. 0 .. | .. 2 2 .. | .. 5 5 .. | .. ]      runs, each where its block claimed room
//
// Slots take about twice the room of the keys. Where bins are too many for that, or some bin of the
// tile too full, keys are counted first, and put down bin by bin without gaps.
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

template <unsigned kBinsT = kMaxBins>
struct CountShared {
  static constexpr unsigned kBins = kBinsT;
  unsigned counts[kBins];
  Count min;
  Count max;
};

/// Adds what the block counted to the bucket's counters, and starts anew.
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

/// Counts a tile's digits in shared memory, as many vectors a thread at a time as keep memory busy.
template <unsigned kThreads, class Bits, class Shared>
__device__ void count_tile(const Buffers<Bits>& buffers, const Bucket& bucket, Tile tile,
                           Shared& s) {
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
template <unsigned kThreads, class Bits, class Shared>
__device__ void count_level(const Plan& plan, unsigned number, const Buffers<Bits>& buffers,
                            Shared& s) {
  const Level level = plan.level(number);
  const unsigned tiles = plan.counters[number].tiles;
  const auto first = static_cast<unsigned>(Count{tiles} * blockIdx.x / gridDim.x);
  const auto end = static_cast<unsigned>(Count{tiles} * (blockIdx.x + 1) / gridDim.x);
  if (first == end || plan.counters[number].uncounted == 0) return;
  for (unsigned b = threadIdx.x; b < Shared::kBins; b += kThreads) s.counts[b] = 0;
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
    if (!bucket.is_counted) {
      count_tile<kThreads>(buffers, bucket, {begin, stop}, s);
      flush_counts<kThreads>(level, bucket, s);
    }
    t += static_cast<unsigned>((stop - 1) / plan.tile - begin / plan.tile) + 1;
  }
}

/// Each block counts two digits of its share of all keys, as one wide digit.
template <unsigned kThreads, class Bits, class Shared>
__device__ void count_ahead(const Plan& plan, const Buffers<Bits>& buffers, Shared& s) {
  constexpr unsigned kWarps = kThreads / gpu::kWarp;
  Bucket& all = plan.even.buckets[0];
  Bucket wide = all;
  wide.digit_bits = all.digit_bits + plan.ahead_bits;
  for (unsigned b = threadIdx.x; b < 1u << wide.digit_bits; b += kThreads) s.counts[b] = 0;
  if (threadIdx.x == 0) {
    s.min = ~Count{0};
    s.max = 0;
  }
  __syncthreads();
  constexpr std::size_t kStep = 4 * kThreads * kVector<Bits>;
  const std::size_t steps = (plan.n + kStep - 1) / kStep;
  const std::size_t begin = steps * blockIdx.x / gridDim.x * kStep;
  const std::size_t end = steps * (blockIdx.x + 1) / gridDim.x * kStep;
  count_tile<kThreads>(buffers, wide, {begin, end < plan.n ? end : plan.n}, s);
  __syncthreads();
  // Blocks begin with different bins, so that they do not wait for each other's atomics.
  const unsigned bins = 1u << all.digit_bits;
  for (unsigned i = gpu::warp_id(); i < bins; i += kWarps) {
    const unsigned bin = (i + blockIdx.x * kWarps) % bins;
    unsigned sum = 0;
    for (unsigned d = gpu::lane_id(); d < 1u << plan.ahead_bits; d += gpu::kWarp) {
      const unsigned both = bin << plan.ahead_bits | d;
      const unsigned count = s.counts[both];
      if (count > 0) atomicAdd(&plan.odd.bins[both], Count{count});
      sum += count;
    }
    sum = gpu::warp_sum(sum);
    if (gpu::lane_id() == 0 && sum > 0) atomicAdd(&plan.even.bins[bin], Count{sum});
  }
  if (threadIdx.x == 0) {
    atomicMin(&all.min, s.min);
    atomicMax(&all.max, s.max);
  }
}

// ---- Scattering ----

/// A tile and its bucket, planned.
struct TileTask {
  Bucket bucket;
  Tile tile;

  __device__ unsigned count() const { return static_cast<unsigned>(tile.end - tile.begin); }
};

/// Shared memory of a block that scatters a tile of kTile keys,
/// with `kSlots` slots for each of kBins bins, and more for each if bins are fewer.
template <class BitsT, unsigned kThreadsT, unsigned kItemsT, unsigned kBinsT = kMaxBins,
          unsigned kSlots = 0>
struct ScatterShared {
  using Bits = BitsT;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;  // a thread
  static constexpr unsigned kBins = kBinsT;    // at most
  static constexpr unsigned kBinsAThread = kBins > kThreads ? kBins / kThreads : 1;
  static_assert(kThreads * kItems < 1u << 16);

  static constexpr unsigned kSlotKeys = kBins * kSlots;
  Vector<Bits> keys[std::max(kThreads * kItems, kSlotKeys) / kVector<Bits>];
  Count to[kBins];         // where a bin's keys go, less their place in `keys`
  unsigned counts[kBins];  // then where in `keys` each bin starts
  unsigned warp_sums[kThreads / gpu::kWarp];
  TileTask task[2];  // the tile that is dealt, and the next one

  __device__ Bits* tile() { return keys[0].key; }
};

/// Thread t's keys of a tile, as they are. In a full tile it loads vectors of neighbours.
template <unsigned kThreads, unsigned kItems, class Bits>
__device__ __forceinline__ void load_raw_tile(const Bits* from, unsigned count, bool is_full,
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
    const int left = static_cast<int>(count) - static_cast<int>(threadIdx.x);
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      key[u] = static_cast<int>(u * kThreads) < left ? from[u * kThreads + threadIdx.x] : Bits{0};
    }
  }
}

template <unsigned kThreads, unsigned kItems, class Bits>
__device__ __forceinline__ void load_tile(const Bits* from, unsigned count,
                                          gpu::KeyMap<Bits> key_map, bool is_full,
                                          Bits (&key)[kItems]) {
  load_raw_tile<kThreads>(from, count, is_full, key);
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

/// Claims room for the tile's keys in each bin, and turns counts into starts. Neighbouring threads
/// claim in neighbouring bins, so that their atomics go to the L2 cache together.
template <class Shared>
__device__ __forceinline__ void claim_room(Count* d_next, unsigned bins, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kEach = Shared::kBinsAThread;
  const unsigned first = threadIdx.x * kEach;
  unsigned sum = 0;
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    const unsigned bin = e * kThreads + threadIdx.x;
    const unsigned count = bin < bins ? s.counts[bin] : 0;
    if (count > 0) s.to[bin] = atomicAdd(&d_next[bin], Count{count});
    sum += first + e < bins ? s.counts[first + e] : 0;
  }
  unsigned all;
  unsigned start = block_exclusive_scan<kThreads>(sum, &all, s.warp_sums);
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    if (first + e < bins) {
      const unsigned count = s.counts[first + e];
      s.counts[first + e] = start;
      s.to[first + e] -= start;
      start += count;
    }
  }
}

/// Calls put(u, rank) for each key of the thread.
template <unsigned kThreads, unsigned kItems, bool kCrowded, class Bits, class Put>
__device__ __forceinline__ void claim_each(const Bits (&key)[kItems], Bits low, unsigned shift,
                                           unsigned count, bool is_full, unsigned* s_counts,
                                           Put put) {
  constexpr unsigned kAtOnce = 8;  // atomics under way
  const int left = static_cast<int>(count) - static_cast<int>(threadIdx.x);
#pragma unroll
  for (unsigned first = 0; first < kItems; first += kAtOnce) {
    unsigned rank[kAtOnce];
#pragma unroll
    for (unsigned j = 0; j < kAtOnce && first + j < kItems; ++j) {
      const unsigned u = first + j;
      const bool has_key = is_full || static_cast<int>(u * kThreads) < left;
      rank[j] = claim_rank<kCrowded>(s_counts, bin_of(key[u], low, shift), has_key);
    }
#pragma unroll
    for (unsigned j = 0; j < kAtOnce && first + j < kItems; ++j) {
      const unsigned u = first + j;
      if (is_full || static_cast<int>(u * kThreads) < left) put(u, rank[j]);
    }
  }
}

/// Puts a tile's keys, which are still raw, in shared memory by bin: counts them, then has each
/// take the next place of its bin, so that no register holds a rank in between.
template <class Bits, class Shared>
__device__ __forceinline__ void deal_tile(Bits (&key)[Shared::kItems], unsigned count, bool is_full,
                                          gpu::KeyMap<Bits> key_map, Bits low, unsigned shift,
                                          unsigned bins, Count* d_next, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kItems = Shared::kItems;
  for (unsigned b = threadIdx.x; b < bins; b += kThreads) s.counts[b] = 0;
  __syncthreads();
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) key[u] = key_map.ordered(key[u]);
  const bool is_even = is_full && !is_crowded(bin_of(key[0], low, shift));
  const auto nothing = [](unsigned, unsigned) {};
  const auto put = [&](unsigned u, unsigned place) { s.tile()[place] = key[u]; };
  if (is_even) {
    claim_each<kThreads, kItems, false>(key, low, shift, count, true, s.counts, nothing);
  } else {
    claim_each<kThreads, kItems, true>(key, low, shift, count, is_full, s.counts, nothing);
  }
  __syncthreads();
  claim_room(d_next, bins, s);
  __syncthreads();
  forget_derived(key);
  if (is_even) {
    claim_each<kThreads, kItems, false>(key, low, shift, count, true, s.counts, put);
  } else {
    claim_each<kThreads, kItems, true>(key, low, shift, count, is_full, s.counts, put);
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

/// Puts the keys of a tile in slots of their bins, as many for each. Says whether there were
/// enough; the counts are then those of the bins.
template <bool kFull, class Bits, class Shared>
__device__ __forceinline__ bool fill_slots(const Bits (&key)[Shared::kItems], unsigned count,
                                           Bits low, unsigned shift, unsigned stride, Shared& s) {
  constexpr unsigned kAtOnce = 8;
  const int left = static_cast<int>(count) - static_cast<int>(threadIdx.x);
  const auto has_key = [&](unsigned u) {
    return kFull || static_cast<int>(u * Shared::kThreads) < left;
  };
  unsigned most = 0;
#pragma unroll
  for (unsigned first = 0; first < Shared::kItems; first += kAtOnce) {
    unsigned bin[kAtOnce];
    unsigned slot[kAtOnce];
#pragma unroll
    for (unsigned j = 0; j < kAtOnce && first + j < Shared::kItems; ++j) {
      bin[j] = bin_of(key[first + j], low, shift);
      slot[j] = has_key(first + j) ? atomicAdd(&s.counts[bin[j]], 1u) : 0;
    }
#pragma unroll
    for (unsigned j = 0; j < kAtOnce && first + j < Shared::kItems; ++j) {
      if (has_key(first + j) && slot[j] < stride) {
        s.tile()[bin[j] * stride + slot[j]] = key[first + j];
      }
      most = max(most, slot[j]);
    }
  }
  return !__syncthreads_or(most >= stride);
}

/// Each warp writes some bins' slots.
template <class Bits, class Shared>
__device__ __forceinline__ void write_slots(Bits* to, unsigned bins, unsigned stride, Shared& s) {
  constexpr unsigned kWarps = Shared::kThreads / gpu::kWarp;
  constexpr unsigned kRows = 3;
#pragma unroll 2
  for (unsigned bin = gpu::warp_id(); bin < bins; bin += kWarps) {
    const unsigned count = s.counts[bin];
    Bits* const run = to + s.to[bin];
    const Bits* const from = s.tile() + bin * stride;
    for (unsigned i = gpu::lane_id(); i < count; i += kRows * gpu::kWarp) {
      Bits k[kRows]{};
#pragma unroll
      for (unsigned r = 0; r < kRows; ++r) {
        if (i + r * gpu::kWarp < count) k[r] = from[i + r * gpu::kWarp];
      }
#pragma unroll
      for (unsigned r = 0; r < kRows; ++r) {
        if (i + r * gpu::kWarp < count) run[i + r * gpu::kWarp] = k[r];
      }
    }
  }
}

/// What tile t of the level is, if there is one.
__device__ inline void find_task(const Plan& plan, unsigned number, unsigned t, TileTask& s_task) {
  const Level level = plan.level(number);
  if (t < plan.counters[number].tiles) {
    s_task.bucket = level.buckets[level.tile_bucket[t]];
    s_task.tile = tile_of(plan, s_task.bucket, t);
  } else {
    s_task.bucket.mode = Mode::nothing;
  }
}

/// Whether a tile's keys are loaded as vectors.
template <class Shared, class Bits>
__device__ __forceinline__ bool is_full_tile(const Bits* from, unsigned count) {
  return count == Shared::kThreads * Shared::kItems &&
         reinterpret_cast<std::uintptr_t>(from) % sizeof(Vector<Bits>) == 0;
}

/// Scatters or fills a block's tiles, one after the other. Keys of the next one are loaded while
/// those of this one are written, and thread 0 finds out what the one behind it is.
template <class Bits, class Shared>
__device__ void scatter_level(const Plan& plan, unsigned number, const Buffers<Bits>& buffers,
                              Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  const unsigned tiles = plan.counters[number].tiles;
  unsigned t = blockIdx.x;
  if (t >= tiles) return;
  if (threadIdx.x == 0) {
    find_task(plan, number, t, s.task[0]);
    find_task(plan, number, t + gridDim.x, s.task[1]);
  }
  __syncthreads();
  Bits key[Shared::kItems];
  const auto load = [&](const TileTask& task) {
    const Bits* const from = buffers.side(task.bucket.side) + task.tile.begin;
    const unsigned count = task.bucket.mode == Mode::scatter ? task.count() : 0;
    load_raw_tile<kThreads>(from, count, is_full_tile<Shared>(from, count), key);
  };
  load(s.task[0]);
  for (unsigned slot = 0;; slot ^= 1) {
    const TileTask& task = s.task[slot];
    const unsigned count = task.count();
    const Mode mode = task.bucket.mode;
    const auto low = static_cast<Bits>(task.bucket.low);
    const unsigned shift = task.bucket.shift();
    Bits* const to = buffers.side(task.bucket.side ^ 1);
    Count* const d_next = plan.level(number).bins + task.bucket.first_bin;
    const unsigned bins = 1u << task.bucket.digit_bits;
    const unsigned stride =
        ((Shared::kSlotKeys >> task.bucket.digit_bits) - 1) | 1;  // odd: other banks
    bool in_slots = false;
    if (mode == Mode::scatter) {
      const Bits* const from = buffers.side(task.bucket.side) + task.tile.begin;
      const bool is_full = is_full_tile<Shared>(from, count);
      const auto key_map = buffers.key_map_if(task.bucket.is_raw);
#pragma unroll
      for (unsigned u = 0; u < Shared::kItems; ++u) key[u] = key_map.ordered(key[u]);
      if constexpr (Shared::kSlotKeys > 0) {
        for (unsigned b = threadIdx.x; b < bins; b += kThreads) s.counts[b] = 0;
        // A lane without a key counts as one of a bin of its own.
        const unsigned bin = threadIdx.x < count ? bin_of(key[0], low, shift) : ~threadIdx.x;
        in_slots = !__syncthreads_or(is_crowded(bin));
        if (in_slots) {
          in_slots = is_full ? fill_slots<true>(key, count, low, shift, stride, s)
                             : fill_slots<false>(key, count, low, shift, stride, s);
        }
      }
      if (!in_slots) {
        deal_tile(key, count, is_full, gpu::KeyMap<Bits>{}, low, shift, bins, d_next, s);
      } else if (threadIdx.x < bins) {
        const unsigned mine = s.counts[threadIdx.x];
        s.to[threadIdx.x] = mine > 0 ? atomicAdd(&d_next[threadIdx.x], Count{mine}) : 0;
      }
    } else if (mode == Mode::fill) {
      fill_tile(buffers, task.bucket, task.tile, d_next, s);
    }
    load(s.task[slot ^ 1]);
    __syncthreads();
    t += gridDim.x;
    if (threadIdx.x == 0) find_task(plan, number, t + gridDim.x, s.task[slot]);
    if (in_slots) {
      write_slots(to, bins, stride, s);
    } else if (mode == Mode::scatter) {
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < count; i += kThreads) {
        const Bits k = s.tile()[i];
        to[s.to[bin_of(k, low, shift)] + i] = k;
      }
    }
    __syncthreads();  // before shared memory is used again
    if (t >= tiles) return;
  }
}

}  // namespace sortlab::msd
