// A level of sample sort: every segment of the array is cut into k buckets, by kernels that each
// work on all segments.
//
//     choose_splitters  a block a segment: sorts a sample, every so many-th key is a splitter
//     count_buckets     finds each key's bucket, notes its number, and counts the keys by bucket
//     place_buckets     a block a segment: where its buckets begin, the next level's segments
//     scatter           a block a tile: claims room in each bucket, moves its keys there
//
// The search for a key's bucket, log2(k) dependent reads of shared memory, is what a level spends
// most on; with the bucket's number noted, a byte or two a key, it is done once.
// In the arrays keys are as they were; in registers, samples and splitters they are the map's.
// A segment that needs no more splitting is only moved along: as its own bucket 0.
#pragma once

#include <cstdint>

#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/quick/levels.cuh"
#include "gpu/quick/sample/buckets.cuh"
#include "gpu/quick/sample/launch_early.cuh"
#include "gpu/quick/sample/types.cuh"

namespace sortlab::gpu::quick::sample {

using Count = unsigned long long;

/// What is left to do with a segment.
enum class Todo : unsigned { split, sort, nothing };

struct Segment {
  Count begin;
  Count count;
  Todo todo;
};

/// The number of each key's bucket, in one byte if that is enough.
struct BucketNumbers {
  std::byte* bytes;
  bool wide;

  __device__ __forceinline__ unsigned at(Count i) const {
    return wide ? reinterpret_cast<const std::uint16_t*>(bytes)[i]
                : reinterpret_cast<const std::uint8_t*>(bytes)[i];
  }
  __device__ __forceinline__ void put(Count i, unsigned bucket) const {
    if (wide) {
      reinterpret_cast<std::uint16_t*>(bytes)[i] = static_cast<std::uint16_t>(bucket);
    } else {
      reinterpret_cast<std::uint8_t*>(bytes)[i] = static_cast<std::uint8_t>(bucket);
    }
  }
};

/// A level's arrays in device memory.
template <class Key>
struct Level {
  unsigned segment_count;
  unsigned log_k;
  Segment* segments;
  Count* tile_begin;  // the tiles of segments before segment s; [segment_count]: of all
  Key* splitters;     // k a segment, of which the last is unused
  unsigned* has_frequent;
  Count* counts;     // k a segment: the bucket's items, then the place for the next one
  Segment* buckets;  // k a segment
  BucketNumbers numbers;

  __host__ __device__ unsigned k() const { return 1u << log_k; }
};

/// The sum of `x` over the block's threads below this one. All threads must call.
__device__ __forceinline__ Count block_sum_below(Count x, Count& sum_of_all) {
  __shared__ Count s_sums[kWarp];
  const Count up_to_here = warp_inclusive_scan(x);
  if (lane_id() == kWarp - 1) s_sums[warp_id()] = up_to_here;
  __syncthreads();
  Count below = up_to_here - x;
  sum_of_all = 0;
  for (unsigned w = 0; w < blockDim.x / kWarp; ++w) {
    if (w < warp_id()) below += s_sums[w];
    sum_of_all += s_sums[w];
  }
  __syncthreads();
  return below;
}

// ---- Splitters ----

/// How many keys of a segment are sampled for a splitter, at most.
constexpr unsigned kMostSamplesABucket = 32;

/// The place, in a segment, of number i of its samples.
__device__ __forceinline__ Count sample_place(Segment segment, unsigned i) {
  return __umul64hi(mixed_bits(segment.begin + (Count{i} << 40) + i), segment.count);
}

template <class T>
__global__ void __launch_bounds__(T::Sampler::kThreads, T::Sampler::kBlocks)
    choose_splitters(const typename T::Key* keys, typename T::Map map,
                     Level<typename T::Key> level) {
  using Less = typename T::Less;
  using Sampler = typename T::Sampler;
  constexpr unsigned kItems = Sampler::kItems;
  await_previous_kernel();
  const unsigned k = level.k();
  Count* const counts = level.counts + std::size_t{blockIdx.x} * k;
  for (unsigned b = threadIdx.x; b < k; b += blockDim.x) counts[b] = 0;
  const Segment segment = level.segments[blockIdx.x];
  if (segment.todo != Todo::split) return;

  const unsigned samples = min(Sampler::Tile::kCount, max(k * kMostSamplesABucket, kItems));
  const unsigned a_bucket = samples / k;
  typename Sampler::Chunk chunk;
#pragma unroll
  for (unsigned r = 0; r < kItems; ++r) {
    const unsigned i = threadIdx.x * kItems + r;
    chunk.keys[r] = map.ordered(keys[segment.begin + (i < samples ? sample_place(segment, i) : 0)]);
  }
  const auto tile = Sampler::tile();
  merge_sort::sort_tile<Sampler>(tile, samples, chunk);

  auto* const splitters = level.splitters + std::size_t{blockIdx.x} * k;
  bool any = false;
  for (unsigned b = threadIdx.x + 1; b < k; b += blockDim.x) {
    const auto splitter = tile.key_at(b * a_bucket);
    splitters[b - 1] = splitter;
    any |= b > 1 && !Less{}(tile.key_at((b - 1) * a_bucket), splitter);
  }
  any = __syncthreads_or(any);
  if (threadIdx.x == 0) level.has_frequent[blockIdx.x] = any;
}

// ---- Tiles ----

/// A part of a segment.
struct Tile {
  unsigned segment;
  Count begin;     // its first item in the array
  unsigned count;  // 0 if there is none of this number
};

/// The tile of number `number`. Each warp finds it: 32 segments, then those between two of them.
template <unsigned kTileItems, class Key>
__device__ __forceinline__ Tile tile_of_number(const Level<Key>& level, Count number) {
  unsigned first = 0;
  unsigned size = level.segment_count;  // the last segment with tile_begin <= number is in here
  while (size > 1) {
    const unsigned step = (size + kWarp - 1) / kWarp;
    const unsigned s = first + lane_id() * step;
    const bool begins_before = lane_id() * step < size && level.tile_begin[s] <= number;
    const unsigned last = __popc(__ballot_sync(kAllLanes, begins_before)) - 1;
    first += last * step;
    size = min(step, size - last * step);
  }
  const Segment segment = level.segments[first];
  const Count offset = (number - level.tile_begin[first]) * kTileItems;
  const Count left = offset < segment.count ? segment.count - offset : 0;
  return {first, segment.begin + offset,
          static_cast<unsigned>(left < kTileItems ? left : kTileItems)};
}

/// Whether many lanes of the warp have their key in one bucket.
__device__ __forceinline__ bool is_crowded(unsigned bucket) {
  constexpr int kMany = 8;
  const unsigned first = __shfl_sync(kAllLanes, bucket, 0);
  return __popc(__ballot_sync(kAllLanes, bucket == first)) >= kMany;
}

/// Counts a key of the bucket and returns how many came before. Atomics on one address take turns,
/// so if the warp is `crowded` the lanes of lane 0's bucket share one. All lanes call it.
__device__ __forceinline__ unsigned rank_in_bucket(unsigned* s_counts, unsigned bucket,
                                                   bool crowded) {
  if (!crowded) return atomicAdd(&s_counts[bucket], 1u);
  const unsigned first = __shfl_sync(kAllLanes, bucket, 0);
  const unsigned sharing = __ballot_sync(kAllLanes, bucket == first);
  const bool shares = bucket == first;
  unsigned rank = 0;
  if (lane_id() == 0 || !shares) {
    rank = atomicAdd(&s_counts[bucket], shares ? __popc(sharing) : 1u);
  }
  const unsigned of_first = __shfl_sync(kAllLanes, rank, 0);
  return shares ? of_first + __popc(lanes_below(sharing)) : rank;
}

// ---- Counting ----

template <class T>
constexpr std::size_t bytes_of_count(unsigned k) {
  return Buckets<typename T::Less, typename T::Key>::bytes(k) + (k + 1) * sizeof(unsigned);
}

/// The most neighbouring tiles that a block takes at a time: these are seldom of two segments, so
/// that it seldom loads other splitters.
constexpr unsigned kMostTilesAtOnce = 4;

template <class T>
__global__ void __launch_bounds__(T::kThreads, T::kCountBlocks)
    count_buckets(const typename T::Key* keys, typename T::Map map, Level<typename T::Key> level,
                  unsigned tiles_at_once) {
  using Key = typename T::Key;
  constexpr unsigned kStep = T::kThreads * T::kCountItems;
  constexpr unsigned kNone = ~0u;
  await_previous_kernel();
  const unsigned k = level.k();
  Buckets<typename T::Less, Key> buckets(dynamic_shared(), level.log_k);
  auto* const s_counts = reinterpret_cast<unsigned*>(dynamic_shared() + buckets.bytes(k));
  const auto hand_in = [&](unsigned segment) {
    __syncthreads();
    Count* const counts = level.counts + std::size_t{segment} * k;
    for (unsigned b = threadIdx.x; b < k; b += blockDim.x) {
      if (s_counts[b] != 0) atomicAdd(&counts[b], Count{s_counts[b]});
    }
    __syncthreads();
  };

  unsigned segment = kNone;  // whose splitters and counts are in shared memory
  const Count tiles = level.tile_begin[level.segment_count];
  for (Count first = Count{blockIdx.x} * tiles_at_once; first < tiles;
       first += Count{gridDim.x} * tiles_at_once) {
    for (Count number = first; number < min(first + tiles_at_once, tiles); ++number) {
      const Tile tile = tile_of_number<T::kTile>(level, number);
      if (level.segments[tile.segment].todo != Todo::split) continue;
      if (tile.segment != segment) {
        if (segment != kNone) hand_in(segment);
        segment = tile.segment;
        buckets.load(level.splitters + std::size_t{segment} * k, level.has_frequent[segment] != 0);
        for (unsigned b = threadIdx.x; b <= k; b += blockDim.x) s_counts[b] = 0;
        __syncthreads();
      }
      for (unsigned done = 0; done < tile.count; done += kStep) {
        const unsigned count = tile.count - done;
        const Count begin = tile.begin + done;
        Key key[T::kCountItems];
        unsigned bucket[T::kCountItems];
#pragma unroll
        for (unsigned u = 0; u < T::kCountItems; ++u) {
          const unsigned i = u * T::kThreads + threadIdx.x;
          key[u] = map.ordered(keys[begin + (i < count ? i : 0)]);
        }
        buckets.find(key, bucket);
        const bool crowded = is_crowded(bucket[0]);
#pragma unroll
        for (unsigned u = 0; u < T::kCountItems; ++u) {
          const unsigned i = u * T::kThreads + threadIdx.x;
          if (i < count) level.numbers.put(begin + i, bucket[u]);
          rank_in_bucket(s_counts, i < count ? bucket[u] : k, crowded);
        }
      }
    }
  }
  if (segment != kNone) hand_in(segment);
}

constexpr unsigned kPlaceThreads = 512;

/// Turns a segment's counts into places, and writes its buckets as segments.
template <class T>
__global__ void __launch_bounds__(kPlaceThreads) place_buckets(Level<typename T::Key> level) {
  constexpr unsigned kMost = kMaxBuckets / kPlaceThreads;
  await_previous_kernel();
  const unsigned k = level.k();
  const Segment segment = level.segments[blockIdx.x];
  const auto* const splitters = level.splitters + std::size_t{blockIdx.x} * k;
  Count* const counts = level.counts + std::size_t{blockIdx.x} * k;
  Segment* const buckets = level.buckets + std::size_t{blockIdx.x} * k;
  if (segment.todo != Todo::split) {
    for (unsigned b = threadIdx.x; b < k; b += blockDim.x) {
      buckets[b] = b == 0 ? segment : Segment{segment.begin, 0, Todo::nothing};
    }
    return;
  }
  const unsigned first = threadIdx.x * kMost;
  Count sum = 0;
#pragma unroll
  for (unsigned u = 0; u < kMost; ++u) sum += first + u < k ? counts[first + u] : 0;
  Count all;
  Count begin = segment.begin + block_sum_below(sum, all);
#pragma unroll
  for (unsigned u = 0; u < kMost; ++u) {
    const unsigned b = first + u;
    if (b >= k) break;
    const Count count = counts[b];
    const bool is_done = count <= 1 || holds_one_key<typename T::Less>(splitters, b, k);
    buckets[b] = {begin, count,
                  is_done                   ? Todo::nothing
                  : count <= T::kMostInLeaf ? Todo::sort
                                            : Todo::split};
    counts[b] = begin;
    begin += count;
  }
}

/// Numbers the tiles of a level's segments. One block.
template <unsigned kTileItems, class Key>
__global__ void __launch_bounds__(kPlaceThreads) number_tiles(Level<Key> level) {
  constexpr unsigned kMost = kMaxBuckets / kPlaceThreads;
  await_previous_kernel();
  const auto tiles_of = [&](unsigned s) -> Count {
    return s < level.segment_count ? (level.segments[s].count + kTileItems - 1) / kTileItems : 0;
  };
  const unsigned first = threadIdx.x * kMost;
  Count sum = 0;
#pragma unroll
  for (unsigned u = 0; u < kMost; ++u) sum += tiles_of(first + u);
  Count all;
  Count begin = block_sum_below(sum, all);
#pragma unroll
  for (unsigned u = 0; u < kMost; ++u) {
    if (first + u < level.segment_count) level.tile_begin[first + u] = begin;
    begin += tiles_of(first + u);
  }
  if (threadIdx.x == 0) level.tile_begin[level.segment_count] = all;
}

// ---- Scattering ----

/// The shared memory of scatter, for k buckets.
template <class T>
struct TileMemory {
  using Key = typename T::Key;
  using Value = typename T::Value;
  Count* offsets;          // of a bucket: from its slot in the tile to its place in the array
  typename T::Data slots;  // the tile's items by bucket
  unsigned* counts;        // one more than buckets, for places beyond the tile
  std::uint16_t* bucket_of_slot;

  static constexpr std::size_t kSlotBytes = (T::kTile * T::kItemBytes + 7) / 8 * 8;
  static constexpr std::size_t bytes(unsigned k) {
    return k * sizeof(Count) + kSlotBytes + (k + 2) * sizeof(unsigned) +
           T::kTile * sizeof(std::uint16_t);
  }
  __device__ explicit TileMemory(unsigned k) {
    std::byte* at = dynamic_shared();
    slots = items_at<Key, Value>(at, T::kTile);
    at += kSlotBytes;
    offsets = reinterpret_cast<Count*>(at);
    at += k * sizeof(Count);
    counts = reinterpret_cast<unsigned*>(at);
    at += (k + 2) * sizeof(unsigned);
    bucket_of_slot = reinterpret_cast<std::uint16_t*>(at);
  }
};

/// Turns the tile's counts into the first slot of each bucket, and claims the room for it in the
/// array.
template <class T>
__device__ __forceinline__ void claim_room(const TileMemory<T>& s_memory, unsigned k,
                                           Count* places) {
  constexpr unsigned kMost = (kMaxBuckets + T::kThreads - 1) / T::kThreads;
  const unsigned each = (k + T::kThreads - 1) / T::kThreads;
  const unsigned first = threadIdx.x * each;
  unsigned sum = 0;
#pragma unroll
  for (unsigned u = 0; u < kMost; ++u) {
    if (u < each && first + u < k) sum += s_memory.counts[first + u];
  }
  Count all;
  auto slot = static_cast<unsigned>(block_sum_below(sum, all));
#pragma unroll
  for (unsigned u = 0; u < kMost; ++u) {
    const unsigned b = first + u;
    if (u >= each || b >= k) break;
    const unsigned count = s_memory.counts[b];
    if (count != 0) s_memory.offsets[b] = atomicAdd(&places[b], Count{count}) - slot;
    s_memory.counts[b] = slot;
    slot += count;
  }
}

template <class T>
__global__ void __launch_bounds__(T::kThreads, T::kBlocks)
    scatter(typename T::Data from, typename T::Data to, Level<typename T::Key> level) {
  await_previous_kernel();
  const Tile tile = tile_of_number<T::kTile>(level, blockIdx.x);
  const auto tile_items = from.from(tile.begin);
  if (tile.count == 0) return;
  if (level.segments[tile.segment].todo != Todo::split) {
    copy_items(tile_items, to.from(tile.begin), tile.count);
    return;
  }
  const unsigned k = level.k();
  const TileMemory<T> s_memory(k);
  typename T::Key key[T::kItems];
  unsigned bucket_and_rank[T::kItems];  // 16 bits each
#pragma unroll
  for (unsigned u = 0; u < T::kItems; ++u) {
    const unsigned i = u * T::kThreads + threadIdx.x;
    bucket_and_rank[u] = i < tile.count ? level.numbers.at(tile.begin + i) : k;
  }
#pragma unroll
  for (unsigned u = 0; u < T::kItems; ++u) {
    const unsigned i = u * T::kThreads + threadIdx.x;
    key[u] = tile_items.keys[i < tile.count ? i : 0];
  }
  for (unsigned b = threadIdx.x; b <= k; b += T::kThreads) s_memory.counts[b] = 0;
  __syncthreads();
  const bool crowded = is_crowded(bucket_and_rank[0]);
#pragma unroll
  for (unsigned u = 0; u < T::kItems; ++u) {
    bucket_and_rank[u] |= rank_in_bucket(s_memory.counts, bucket_and_rank[u], crowded) << 16;
  }
  __syncthreads();
  claim_room(s_memory, k, level.counts + std::size_t{tile.segment} * k);
  __syncthreads();
#pragma unroll
  for (unsigned u = 0; u < T::kItems; ++u) {
    const unsigned bucket = bucket_and_rank[u] & 0xffff;
    if (bucket == k) continue;
    const unsigned slot = s_memory.counts[bucket] + (bucket_and_rank[u] >> 16);
    s_memory.slots.keys[slot] = key[u];
    if constexpr (T::Data::kPairs) {
      s_memory.slots.values[slot] = tile_items.values[u * T::kThreads + threadIdx.x];
    }
    s_memory.bucket_of_slot[slot] = static_cast<std::uint16_t>(bucket);
  }
  __syncthreads();
#pragma unroll 4
  for (unsigned slot = threadIdx.x; slot < tile.count; slot += T::kThreads) {
    to.put(s_memory.offsets[s_memory.bucket_of_slot[slot]] + slot, s_memory.slots[slot]);
  }
}

/// Moves the segments that need no sorting.
template <class T>
__global__ void __launch_bounds__(T::kThreads)
    move_done(typename T::Data from, typename T::Data to, Level<typename T::Key> level) {
  await_previous_kernel();
  const Tile tile = tile_of_number<T::kTile>(level, blockIdx.x);
  if (tile.count == 0 || level.segments[tile.segment].todo != Todo::nothing) return;
  copy_items(from.from(tile.begin), to.from(tile.begin), tile.count);
}

}  // namespace sortlab::gpu::quick::sample
