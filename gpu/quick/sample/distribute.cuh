// The two passes of a sample sort over a level's keys: one counts the buckets, one moves the items.
#pragma once

#include "gpu/primitives/block/tile.cuh"
#include "gpu/quick/sample/buckets.cuh"
#include "gpu/quick/sample/level.cuh"

namespace sortlab::gpu::quick::sample {

// Which bucket each key of a level belongs to, how many keys each bucket has, and where it begins.

template <class T>
constexpr std::size_t bytes_of_count(unsigned k) {
  return Buckets<typename T::Less, typename T::Key>::bytes(k) + (k + 1) * sizeof(unsigned);
}

/// The most neighbouring tiles that a block takes at a time: these are seldom of two segments, so
/// that it seldom loads other splitters.
constexpr unsigned kMostTilesAtOnce = 4;

/// A segment whose tiles a block counts: its splitters and its counts, in shared memory.
template <class T>
struct CountedSegment {
  using Key = typename T::Key;
  static constexpr unsigned kStep = T::kThreads * T::kCountItems;  // keys at a time
  static constexpr unsigned kNone = ~0u;

  const Level<Key>& level;
  const Key* keys;
  const typename T::Map& map;
  unsigned k;
  Buckets<typename T::Less, Key> buckets;
  unsigned* s_counts;  // one more than buckets, for places beyond the tile
  unsigned segment = kNone;

  __device__ __forceinline__ CountedSegment(const Level<Key>& level, const Key* keys,
                                            const typename T::Map& map)
      : level(level),
        keys(keys),
        map(map),
        k(level.k()),
        buckets(dynamic_shared(), level.log_k),
        s_counts(reinterpret_cast<unsigned*>(dynamic_shared() + buckets.bytes(k))) {}

  /// Changes to another segment: loads its splitters and clears the counts. Barriers if it is another.
  __device__ __forceinline__ void change_to(unsigned next) {
    if (next == segment) return;
    add_counts();
    segment = next;
    buckets.load(level.splitters + std::size_t{segment} * k, level.has_frequent[segment] != 0);
    for (unsigned b = threadIdx.x; b <= k; b += blockDim.x) s_counts[b] = 0;
    __syncthreads();
  }

  /// Adds the block's counts to those of the segment, if there is one.
  __device__ __forceinline__ void add_counts() const {
    if (segment == kNone) return;
    __syncthreads();
    Count* const counts = level.counts + std::size_t{segment} * k;
    for (unsigned b = threadIdx.x; b < k; b += blockDim.x) {
      if (s_counts[b] != 0) atomicAdd(&counts[b], Count{s_counts[b]});
    }
    __syncthreads();
  }

  /// Finds, notes and counts the buckets of at most kStep of the `count` keys from place `begin` on.
  __device__ __forceinline__ void count_keys(Count begin, unsigned count) const {
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
};

template <class T>
__global__ void __launch_bounds__(T::kThreads, T::kCountBlocks)
    count_buckets(const typename T::Key* keys, typename T::Map map, Level<typename T::Key> level,
                  unsigned tiles_at_once) {
  using Counted = CountedSegment<T>;
  await_previous_kernel();
  Counted counted(level, keys, map);
  const Count tiles = level.tile_begin[level.segment_count];
  for (Count first = Count{blockIdx.x} * tiles_at_once; first < tiles;
       first += Count{gridDim.x} * tiles_at_once) {
    for (Count number = first; number < min(first + tiles_at_once, tiles); ++number) {
      const Tile tile = tile_of_number<T::kTile>(level, number);
      if (level.segments[tile.segment].todo != Todo::split) continue;
      counted.change_to(tile.segment);
      for (unsigned done = 0; done < tile.count; done += Counted::kStep) {
        counted.count_keys(tile.begin + done, tile.count - done);
      }
    }
  }
  counted.add_counts();
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

// Moves the items of a level to their buckets, a tile at a time. In shared memory the tile's items lie by
// bucket, so that neighbours are written side by side; atomics claim the room, so equal keys lose their
// order.

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

/// The items of a tile that a thread moves.
template <class T>
struct MovedItems {
  static constexpr unsigned kItems = T::kItems;
  typename T::Key key[kItems];
  unsigned bucket_and_rank[kItems];  // 16 bits each; bucket k if there is no item

  static __device__ __forceinline__ unsigned place(unsigned u) {
    return u * T::kThreads + threadIdx.x;
  }

  __device__ __forceinline__ void load(const BucketNumbers& numbers, const Tile& tile,
                                       const typename T::Key* keys, unsigned k) {
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      const unsigned i = place(u);
      bucket_and_rank[u] = i < tile.count ? numbers.at(tile.begin + i) : k;
    }
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      const unsigned i = place(u);
      key[u] = keys[i < tile.count ? i : 0];
    }
  }

  /// Counts the tile's items by bucket, and ranks each in its bucket. Two barriers.
  __device__ __forceinline__ void rank(const TileMemory<T>& s_memory, unsigned k) {
    for (unsigned b = threadIdx.x; b <= k; b += T::kThreads) s_memory.counts[b] = 0;
    __syncthreads();
    const bool crowded = is_crowded(bucket_and_rank[0]);
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      bucket_and_rank[u] |= rank_in_bucket(s_memory.counts, bucket_and_rank[u], crowded) << 16;
    }
    __syncthreads();
  }

  /// Puts the items into their slots: the bucket's first one, and the rank.
  __device__ __forceinline__ void put_in_slots(const TileMemory<T>& s_memory,
                                               const typename T::Data& tile_items,
                                               unsigned k) const {
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      const unsigned bucket = bucket_and_rank[u] & 0xffff;
      if (bucket == k) continue;
      const unsigned slot = s_memory.counts[bucket] + (bucket_and_rank[u] >> 16);
      s_memory.slots.keys[slot] = key[u];
      if constexpr (T::Data::kPairs) s_memory.slots.values[slot] = tile_items.values[place(u)];
      s_memory.bucket_of_slot[slot] = static_cast<std::uint16_t>(bucket);
    }
  }
};

/// Writes the tile's slots to the array: runs of each bucket, side by side.
template <class T>
__device__ __forceinline__ void write_slots(const TileMemory<T>& s_memory,
                                            const typename T::Data& to, unsigned count) {
#pragma unroll 4
  for (unsigned slot = threadIdx.x; slot < count; slot += T::kThreads) {
    to.put(s_memory.offsets[s_memory.bucket_of_slot[slot]] + slot, s_memory.slots[slot]);
  }
}

/// A block a tile.
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
  MovedItems<T> items;
  items.load(level.numbers, tile, tile_items.keys, k);
  items.rank(s_memory, k);
  claim_room(s_memory, k, level.counts + std::size_t{tile.segment} * k);
  __syncthreads();
  items.put_in_slots(s_memory, tile_items, k);
  __syncthreads();
  write_slots(s_memory, to, tile.count);
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
