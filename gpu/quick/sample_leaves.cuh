// The segments that are left to sort after the last level of sample sort: a warp each, by a bitonic
// network in registers and its own shared memory; a block each for the few that are larger.
#pragma once

#include "gpu/bitonic/run_passes.cuh"
#include "gpu/primitives/block_sort.cuh"
#include "gpu/quick/sample_level.cuh"

namespace sortlab::gpu::sample {

constexpr unsigned kWarpsOfLeaves = 4;

/// Larger segments than kWarpSegment, by their index.
struct LargeSegments {
  unsigned* count;
  unsigned* index;
};

/// The tile of a warp whose lanes have 2^kBits items each.
template <unsigned kBits>
using WarpShape = bitonic::Shape<5 + kBits, kBits, kBits>;

template <unsigned kBits, class Key, class Value>
using WarpTile = bitonic::TileOfColumns<WarpShape<kBits>, Key, Value>;

/// As few items a lane as hold the segment: half as many cost less than half of the work.
template <unsigned kBits, unsigned kLeast, class Key, class Value>
__device__ __forceinline__ void sort_by_warp(Items<Key, Value> s_slots, Items<Key, Value> from,
                                             Items<Key, Value> to, unsigned count,
                                             KeyMap<Key> map) {
  if constexpr (kBits > kLeast) {
    if (count <= WarpShape<kBits>::kTileItems / 2) {
      sort_by_warp<kBits - 1, kLeast>(s_slots, from, to, count, map);
      return;
    }
  }
  WarpTile<kBits, Key, Value>(s_slots, count, lane_id(), kWarp).sort(from, to, map, map);
}

template <class Key, class Value>
constexpr std::size_t bytes_of_leaves() {
  using Largest = WarpTile<kLaneBits<Key, Value>, Key, Value>;
  return kWarpsOfLeaves * bytes_of_items<Key, Value>(Largest::slots());
}

/// 64 registers a thread for 128 bytes of items, else 96.
template <class Key, class Value>
constexpr unsigned kLeafBlocksAnSm = bytes_of_items<Key, Value>(1u << kLaneBits<Key, Value>) <= 128
                                         ? 8
                                         : 5;

/// Segment s by warp s; those that a warp can't take are listed.
template <class Key, class Value>
__global__ void __launch_bounds__(kWarpsOfLeaves* kWarp, kLeafBlocksAnSm<Key, Value>)
    sort_small_segments(Items<Key, Value> from, Items<Key, Value> to, KeyMap<Key> map,
                        const Segment* segments, unsigned segment_count, LargeSegments large) {
  constexpr unsigned kBits = kLaneBits<Key, Value>;
  constexpr std::size_t kSlots = WarpTile<kBits, Key, Value>::slots();
  const unsigned s = blockIdx.x * kWarpsOfLeaves + warp_id();
  if (s >= segment_count) return;
  const Segment segment = segments[s];

  if (segment.todo == Todo::split && lane_id() == 0) {
    large.index[atomicAdd(large.count, 1u)] = s;
  } else if (segment.todo == Todo::sort) {
    const auto s_all = items_at<Key, Value>(dynamic_shared(), kWarpsOfLeaves * kSlots);
    sort_by_warp<kBits, kBits - 2>(s_all.from(warp_id() * kSlots), from.from(segment.begin),
                                   to.from(segment.begin), static_cast<unsigned>(segment.count),
                                   map);
  }
}

/// The tile of a block.
template <class Key, class Value>
using BlockShape = bitonic::ShapeFor<Key, Value>;

/// Sorts where the items lie: slow, and expected only for keys made to defeat the samples.
template <class Key, class Value>
__device__ __noinline__ void sort_in_global(Items<Key, Value> from, Items<Key, Value> to,
                                            unsigned count, KeyMap<Key> map) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
    auto item = from[i];
    item.key = map.ordered(item.key);
    to.put(i, item);
  }
  sort_shared_tile<KeyLess<Key, Order::ascending>>(to, count);
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) to.keys[i] = map.key(to.keys[i]);
}

/// The listed segments, a block each.
template <class Key, class Value>
__global__ void __launch_bounds__(BlockShape<Key, Value>::kTileThreads)
    sort_large_segments(Items<Key, Value> from, Items<Key, Value> to, KeyMap<Key> map,
                        const Segment* segments, LargeSegments large) {
  using Shape = BlockShape<Key, Value>;
  const unsigned end = *large.count;
  for (unsigned i = blockIdx.x; i < end; i += gridDim.x) {
    const Segment segment = segments[large.index[i]];
    const auto source = from.from(segment.begin);
    const auto target = to.from(segment.begin);
    const auto count = static_cast<unsigned>(segment.count);
    if (count <= Shape::kTileItems) {
      bitonic::tile_of_all_threads<Shape, Key, Value>(count).sort(source, target, map, map);
    } else {
      sort_in_global(source, target, count, map);
    }
    __syncthreads();
  }
}

}  // namespace sortlab::gpu::sample
