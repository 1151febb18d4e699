// A level of sample sort: every segment of the array is cut into k buckets, by kernels that each
// work on all segments.
//
//     choose_splitters  a block a segment: sorts a sample, every so many-th key is a splitter
//     count_buckets     finds each key's bucket, notes its number, and counts the keys by bucket
//     place_buckets     a block a segment: where its buckets begin, the next level's segments
//     scatter           a block a tile: claims room in each bucket, moves its keys there
//
// This file has a level's arrays and tiles; buckets.cuh and distribute.cuh the kernels.
//
// The search for a key's bucket, log2(k) dependent reads of shared memory, is what a level spends
// most on; with the bucket's number noted, a byte or two a key, it is done once.
// In the arrays keys are as they were; in registers, samples and splitters they are the map's.
// A segment that needs no more splitting is only moved along: as its own bucket 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpu/primitives/block/merge_sort/sort_tile.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/launch/early.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::quick::sample {

/// LessT, default-constructible, is any strict weak order of the keys that MapT turns the array's
/// keys into; these are of the same type. The only requirement on a key is that it may be copied
/// byte by byte. The default map changes nothing. A map saves kernels: keys of one width with
/// different orders share them.
/// Keys that compare equal but differ need Ties::keep_order, or some could be lost; they cost a
/// tile's sort more. The sort as a whole is not stable.
template <class LessT, merge_sort::Ties kTies, class KeyT, class ValueT = NoValue,
          class MapT = AsTheyAre>
struct Types {
  using Less = LessT;
  using Key = KeyT;
  using Value = ValueT;
  using Map = MapT;
  using Data = Items<Key, Value>;
  static constexpr std::size_t kItemBytes = sizeof(Key) + kValueBytes<Value>;

  /// The sort of a block's tile, for the segments of the last level and for samples.
  static constexpr bool kBigKeys = sizeof(Key) > 8;
  static constexpr bool kSmallKeys = sizeof(Key) <= 4;
  static constexpr bool kPlaced = kTies == merge_sort::Ties::keep_order || Data::kPairs;
  template <bool kManyItems>
  using LeafShape = std::conditional_t<
      kManyItems, merge_sort::Shape<32, 256, 4>,
      std::conditional_t<kBigKeys, merge_sort::Shape<8, 256, 2>, merge_sort::Shape<16, 256, 4>>>;
  using Leaf = merge_sort::Plan<Less, kTies, Key, Value, LeafShape<kSmallKeys && !kPlaced>>;
  using Sampler =
      merge_sort::Plan<Less, merge_sort::Ties::any_order, Key, NoValue, LeafShape<kSmallKeys>>;
  static constexpr std::size_t kMostInLeaf = Leaf::Tile::kCount;

  /// A level's tiles. In count_buckets a thread holds kCountItems keys at a time.
  static constexpr unsigned kThreads = 512;
  static constexpr unsigned kItems =
      kItemBytes <= 4 ? 20 : static_cast<unsigned>(std::max<std::size_t>(96 / kItemBytes, 1));
  static constexpr unsigned kTile = kThreads * kItems;
  static constexpr unsigned kBlocks = 2;
  static constexpr unsigned kCountItems = kItems % 20 == 0  ? 10
                                          : kItems % 8 == 0 ? 8
                                          : kItems % 4 == 0 ? 4
                                                            : kItems;
  static constexpr unsigned kCountBlocks = sizeof(Key) <= 8 ? 3 : 2;

  /// log2 of the most buckets for which one level is enough.
  static constexpr unsigned kMostInOneLevel = sizeof(Key) <= 4 ? 10 : 8;
  /// The most items for which kernels are launched early.
  static constexpr std::size_t kMostLaunchedEarly = std::size_t{1} << 17;
};

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

}  // namespace sortlab::gpu::quick::sample
