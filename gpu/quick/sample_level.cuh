// A level of sample sort: every segment of the array is cut into k buckets, by kernels that each
// work on all segments.
//
//     choose_splitters  a block a segment: sorts a sample, every so many-th key is a splitter
//     count_buckets     a block a tile: counts the tile's keys by bucket
//     place_buckets     a block a segment: where its buckets begin, the next level's segments
//     scatter           a block a tile: claims room in each bucket, moves its keys there
//
// In the arrays keys are as they were; in registers, in the samples and splitters they are the
// integers of a KeyMap.
// A segment that needs no more splitting is only moved along: as its own bucket 0.
#pragma once

#include <cstdint>

#include "gpu/bitonic/multi_step.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/launch.cuh"
#include "gpu/primitives/quick_levels.cuh"
#include "gpu/primitives/workspace.cuh"
#include "gpu/quick/sample_buckets.cuh"

namespace sortlab::gpu::sample {

using Count = unsigned long long;

/// What is left to do with a segment.
enum class Todo : unsigned { split, sort, nothing };

struct Segment {
  Count begin;
  Count count;
  Todo todo;
};

/// A lane's items when a warp sorts a segment, at most: 2^5 of 4 bytes, else 2^4. Such a segment is
/// not split further.
template <class Key, class Value>
constexpr unsigned kLaneBits = bytes_of_items<Key, Value>(1) <= 4 ? 5 : 4;
template <class Key, class Value>
constexpr unsigned kWarpSegment = kWarp << kLaneBits<Key, Value>;

/// The items of a block in count_buckets and scatter.
template <class Key, class Value>
struct TileShape {
  static constexpr unsigned kThreads = 512;
  static constexpr unsigned kItems = sizeof(Key) == 8 ? 10 : 16;
  static constexpr unsigned kTile = kThreads * kItems;
};

/// A level's arrays in device memory.
template <class Key>
struct Level {
  unsigned segment_count;
  unsigned log_k;
  Segment* segments;
  Count* tile_begin;  // the tiles of segments before segment s; [segment_count]: of all
  Key* samples;       // a segment's sample, and then its splitters
  unsigned* has_frequent;
  Count* counts;     // k a segment: the bucket's items, then the place for the next one
  Segment* buckets;  // k a segment

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

/// The sample of a segment: as many keys as `SampleShape` sorts in a tile.
template <class SampleShape, class Key>
__global__ void __launch_bounds__(SampleShape::kTileThreads)
    choose_splitters(const Key* keys, KeyMap<Key> map, Level<Key> level) {
  constexpr unsigned kSample = SampleShape::kTileItems;
  const unsigned k = level.k();
  Count* const counts = level.counts + std::size_t{blockIdx.x} * k;
  for (unsigned b = threadIdx.x; b < k; b += blockDim.x) counts[b] = 0;
  const Segment segment = level.segments[blockIdx.x];
  if (segment.todo != Todo::split) return;

  Key* const sample = level.samples + std::size_t{blockIdx.x} * kSample;
  for (unsigned i = threadIdx.x; i < kSample; i += blockDim.x) {
    const auto random = mixed_bits(segment.begin + (Count{i} << 40) + i);
    sample[i] = map.ordered(keys[segment.begin + __umul64hi(random, segment.count)]);
  }
  __syncthreads();
  const Items<Key, NoValue> items{sample, nullptr};
  bitonic::tile_of_all_threads<SampleShape, Key, NoValue>(kSample).sort(items, items, {}, {});
  __syncthreads();

  // Every (kSample / k)-th key moves to the front: read by all threads before any writes.
  constexpr unsigned kMost = kMaxBuckets / SampleShape::kTileThreads;
  Key splitter[kMost];
#pragma unroll
  for (unsigned u = 0; u < kMost; ++u) {
    const unsigned j = u * blockDim.x + threadIdx.x;
    if (j + 1 < k) splitter[u] = sample[(j + 1) * (kSample / k)];
  }
  __syncthreads();
#pragma unroll
  for (unsigned u = 0; u < kMost; ++u) {
    const unsigned j = u * blockDim.x + threadIdx.x;
    if (j + 1 < k) sample[j] = splitter[u];
  }
  __syncthreads();
  bool any = false;
  for (unsigned b = threadIdx.x; b < k; b += blockDim.x) any |= holds_one_key(sample, b, k);
  any = __syncthreads_or(any);
  if (threadIdx.x == 0) level.has_frequent[blockIdx.x] = any;
}

/// A block's part of a segment.
struct Tile {
  unsigned segment;
  Count begin;     // its first item in the array
  unsigned count;  // 0 for a block without work
};

/// The tile of number `number`. Each warp finds it: 32 segments, then those between two of them.
template <unsigned kTileItems, class Key>
__device__ __forceinline__ Tile tile_of_block(const Level<Key>& level, Count number) {
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

/// The shared memory of count_buckets and scatter, for k buckets.
template <class Key, class Value>
struct TileMemory {
  using Shape = TileShape<Key, Value>;
  Count* offsets;           // of a bucket: from its slot in the tile to its place in the array
  Key* tree;                // of Buckets
  Items<Key, Value> slots;  // the tile's items by bucket
  unsigned* counts;         // one more than buckets, for places beyond the tile
  std::uint16_t* bucket_of_slot;

  static constexpr std::size_t bytes(unsigned k, bool has_slots) {
    constexpr std::size_t kSlot = sizeof(Key) + kValueBytes<Value> + sizeof(std::uint16_t);
    return k * sizeof(Count) + Buckets<Key>::bytes(k) + (k + 2) * sizeof(unsigned) +
           (has_slots ? Shape::kTile * kSlot : 0);
  }
  __device__ explicit TileMemory(unsigned k) {
    std::byte* at = dynamic_shared();
    const auto take = [&](std::size_t bytes) {
      std::byte* const taken = at;
      at += bytes;
      return taken;
    };
    offsets = reinterpret_cast<Count*>(take(k * sizeof(Count)));
    tree = reinterpret_cast<Key*>(take(Buckets<Key>::bytes(k)));
    counts = reinterpret_cast<unsigned*>(take((k + 2) * sizeof(unsigned)));
    slots = items_at<Key, Value>(take(bytes_of_items<Key, Value>(Shape::kTile)), Shape::kTile);
    bucket_of_slot = reinterpret_cast<std::uint16_t*>(at);
  }
};

/// Loads the tile's keys and finds their buckets; those of places beyond the tile are k.
template <class Key, unsigned kItems>
__device__ __forceinline__ void load_and_classify(const Key* tile, KeyMap<Key> map, unsigned count,
                                                  const Buckets<Key>& buckets, Key (&key)[kItems],
                                                  unsigned (&bucket)[kItems]) {
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const unsigned i = u * blockDim.x + threadIdx.x;
    key[u] = map.ordered(tile[i < count ? i : 0]);
  }
  buckets.find(key, bucket);
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    if (u * blockDim.x + threadIdx.x >= count) bucket[u] = buckets.count();
  }
}

/// Counts a key of the bucket and returns how many came before. If a few buckets take most keys,
/// the lanes of the same one go together.
__device__ __forceinline__ unsigned rank_in_bucket(unsigned* s_counts, unsigned bucket,
                                                   bool together) {
  if (!together) return atomicAdd(&s_counts[bucket], 1u);
  const unsigned same = __match_any_sync(kAllLanes, bucket);
  const int leader = __ffs(static_cast<int>(same)) - 1;
  unsigned before = 0;
  if (static_cast<int>(lane_id()) == leader) before = atomicAdd(&s_counts[bucket], __popc(same));
  return __shfl_sync(kAllLanes, before, leader) + __popc(lanes_below(same));
}

template <class Key, class Value>
__global__ void __launch_bounds__(TileShape<Key, Value>::kThreads, 2)
    count_buckets(const Key* keys, KeyMap<Key> map, Level<Key> level, unsigned sample_size) {
  using Shape = TileShape<Key, Value>;
  const Tile tile = tile_of_block<Shape::kTile>(level, blockIdx.x);
  if (tile.count == 0 || level.segments[tile.segment].todo != Todo::split) return;
  const TileMemory<Key, NoValue> s_memory(level.k());
  for (unsigned b = threadIdx.x; b <= level.k(); b += blockDim.x) s_memory.counts[b] = 0;
  const Buckets<Key> buckets(s_memory.tree, level.samples + std::size_t{tile.segment} * sample_size,
                             level.log_k, level.has_frequent[tile.segment] != 0);

  Key key[Shape::kItems];
  unsigned bucket[Shape::kItems];
  load_and_classify(keys + tile.begin, map, tile.count, buckets, key, bucket);
#pragma unroll
  for (unsigned u = 0; u < Shape::kItems; ++u) {
    rank_in_bucket(s_memory.counts, bucket[u], buckets.has_frequent());
  }
  __syncthreads();
  Count* const counts = level.counts + std::size_t{tile.segment} * level.k();
  for (unsigned b = threadIdx.x; b < level.k(); b += blockDim.x) {
    if (s_memory.counts[b] != 0) atomicAdd(&counts[b], Count{s_memory.counts[b]});
  }
}

constexpr unsigned kPlaceThreads = 512;

/// Turns a segment's counts into places, and writes its buckets as segments.
template <class Key>
__global__ void __launch_bounds__(kPlaceThreads)
    place_buckets(Level<Key> level, unsigned sample_size, unsigned most_to_sort) {
  constexpr unsigned kMost = kMaxBuckets / kPlaceThreads;
  const unsigned k = level.k();
  const Segment segment = level.segments[blockIdx.x];
  const Key* const splitters = level.samples + std::size_t{blockIdx.x} * sample_size;
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
    const bool is_done = count <= 1 || holds_one_key(splitters, b, k);
    buckets[b] = {begin, count,
                  is_done                 ? Todo::nothing
                  : count <= most_to_sort ? Todo::sort
                                          : Todo::split};
    counts[b] = begin;
    begin += count;
  }
}

/// Numbers the tiles of a level's segments. One block.
template <unsigned kTileItems, class Key>
__global__ void __launch_bounds__(kPlaceThreads) number_tiles(Level<Key> level) {
  constexpr unsigned kMost = kMaxBuckets / kPlaceThreads;
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

/// Turns the tile's counts into the first slot of each bucket, and claims the room for it in the
/// array.
template <class Key, class Value>
__device__ __forceinline__ void claim_room(const TileMemory<Key, Value>& s_memory, unsigned k,
                                           Count* places) {
  constexpr unsigned kMost = kMaxBuckets / TileShape<Key, Value>::kThreads;
  const unsigned each = (k + blockDim.x - 1) / blockDim.x;
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

template <class Key, class Value>
__global__ void __launch_bounds__(TileShape<Key, Value>::kThreads, 2)
    scatter(Items<Key, Value> from, Items<Key, Value> to, KeyMap<Key> map, Level<Key> level,
            unsigned sample_size) {
  using Shape = TileShape<Key, Value>;
  const Tile tile = tile_of_block<Shape::kTile>(level, blockIdx.x);
  const auto tile_items = from.from(tile.begin);
  if (tile.count == 0) return;
  if (level.segments[tile.segment].todo != Todo::split) {
    copy_items(tile_items, to.from(tile.begin), tile.count);
    return;
  }
  const TileMemory<Key, Value> s_memory(level.k());
  for (unsigned b = threadIdx.x; b <= level.k(); b += blockDim.x) s_memory.counts[b] = 0;
  const Buckets<Key> buckets(s_memory.tree, level.samples + std::size_t{tile.segment} * sample_size,
                             level.log_k, level.has_frequent[tile.segment] != 0);

  Key key[Shape::kItems];
  unsigned bucket[Shape::kItems];
  unsigned rank[Shape::kItems];
  load_and_classify(tile_items.keys, map, tile.count, buckets, key, bucket);
#pragma unroll
  for (unsigned u = 0; u < Shape::kItems; ++u) {
    rank[u] = rank_in_bucket(s_memory.counts, bucket[u], buckets.has_frequent());
  }
  __syncthreads();
  claim_room(s_memory, level.k(), level.counts + std::size_t{tile.segment} * level.k());
  __syncthreads();
#pragma unroll
  for (unsigned u = 0; u < Shape::kItems; ++u) {
    if (bucket[u] == level.k()) continue;
    const unsigned slot = s_memory.counts[bucket[u]] + rank[u];
    Item<Key, Value> item{map.key(key[u]), {}};
    if constexpr (Items<Key, Value>::kPairs) {
      item.value = tile_items.values[u * blockDim.x + threadIdx.x];
    }
    s_memory.slots.put(slot, item);
    s_memory.bucket_of_slot[slot] = static_cast<std::uint16_t>(bucket[u]);
  }
  __syncthreads();
  for (unsigned slot = threadIdx.x; slot < tile.count; slot += blockDim.x) {
    to.put(s_memory.offsets[s_memory.bucket_of_slot[slot]] + slot, s_memory.slots[slot]);
  }
}

/// Moves the segments that need no sorting.
template <class Key, class Value>
__global__ void __launch_bounds__(TileShape<Key, Value>::kThreads)
    move_done(Items<Key, Value> from, Items<Key, Value> to, Level<Key> level) {
  const Tile tile = tile_of_block<TileShape<Key, Value>::kTile>(level, blockIdx.x);
  if (tile.count == 0 || level.segments[tile.segment].todo != Todo::nothing) return;
  copy_items(from.from(tile.begin), to.from(tile.begin), tile.count);
}

}  // namespace sortlab::gpu::sample
