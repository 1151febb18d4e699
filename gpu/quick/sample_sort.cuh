// The host's side of sample sort: how many levels, of how many buckets, and the launches.
#pragma once

#include <algorithm>
#include <bit>

#include "gpu/bitonic/run_passes.cuh"
#include "gpu/quick/sample_leaves.cuh"

namespace sortlab::gpu::sample {

/// A block's samples: of all the array in the first level, of one segment in the second.
template <class Key>
using FirstSample = bitonic::ShapeFor<Key, NoValue>;
template <class Key>
using SecondSample = bitonic::Shape<12, FirstSample<Key>::kColumnBits, 1>;

/// log2 of the buckets in each level; no second level if it is 0.
struct Levels {
  unsigned first;
  unsigned second;
};

/// Segments are half as large as what a warp sorts, or less, on average. One level while it has 8
/// sampled keys a bucket.
template <class Key, class Value>
constexpr Levels levels_for(std::size_t n) {
  constexpr unsigned kOneLevel = FirstSample<Key>::kTileBits - 3;
  constexpr unsigned kMost = std::bit_width(kMaxBuckets) - 1;
  const std::size_t buckets = std::bit_ceil(ceil_div(n, kWarpSegment<Key, Value> / 2));
  const auto bits = static_cast<unsigned>(std::bit_width(buckets) - 1);
  if (bits <= std::min(kOneLevel, kMost)) return {bits, 0};
  const unsigned first = std::min((bits + 1) / 2, kMost);
  return {first, std::min(bits - first, kMost)};
}

template <class Key>
struct Workspace {
  Level<Key> first;
  Level<Key> second;
  LargeSegments large;

  Workspace(Layout& layout, Levels levels) {
    const std::size_t k = std::size_t{1} << levels.first;
    const std::size_t leaves = k << levels.second;
    first =
        take_level(layout, layout.take<Segment>(1), 1, levels.first, FirstSample<Key>::kTileItems);
    second = first;
    if (levels.second > 0) {
      second = take_level(layout, first.buckets, k, levels.second, SecondSample<Key>::kTileItems);
    } else {
      second.segments = first.buckets;  // only to move those that are done
      second.segment_count = static_cast<unsigned>(k);
      second.tile_begin = layout.take<Count>(k + 1);
    }
    large = {layout.take<unsigned>(1), layout.take<unsigned>(leaves)};
  }

 private:
  static Level<Key> take_level(Layout& layout, Segment* segments, std::size_t segment_count,
                               unsigned log_k, std::size_t sample_size) {
    const std::size_t buckets = segment_count << log_k;
    return {static_cast<unsigned>(segment_count),
            log_k,
            segments,
            layout.take<Count>(segment_count + 1),
            layout.take<Key>(segment_count * sample_size),
            layout.take<unsigned>(segment_count),
            layout.take<Count>(buckets),
            layout.take<Segment>(buckets)};
  }
};

/// The whole array as the first level's only segment.
template <class Key>
__global__ void begin_levels(Level<Key> first, LargeSegments large, std::size_t n) {
  first.segments[0] = {0, n, Todo::split};
  first.tile_begin[0] = 0;
  *large.count = 0;
}

/// Cuts all segments of a level, from one buffer into the other.
template <class SampleShape, class Key, class Value>
void launch_level(const Level<Key>& level, Items<Key, Value> from, Items<Key, Value> to,
                  std::size_t n, KeyMap<Key> map, cudaStream_t stream) {
  using Shape = TileShape<Key, Value>;
  constexpr unsigned kSample = SampleShape::kTileItems;
  const std::size_t tiles =
      level.segment_count == 1 ? ceil_div(n, Shape::kTile) : n / Shape::kTile + level.segment_count;
  launch("choose_splitters", choose_splitters<SampleShape, Key>,
         {level.segment_count, SampleShape::kTileThreads,
          bitonic::bytes_of_tile<SampleShape, Key, NoValue>()},
         stream, from.keys, map, level);
  launch("count_buckets", count_buckets<Key, Value>,
         {tiles, Shape::kThreads, TileMemory<Key, NoValue>::bytes(level.k(), false)}, stream,
         from.keys, map, level, kSample);
  launch("place_buckets", place_buckets<Key>, {level.segment_count, kPlaceThreads}, stream, level,
         kSample, kWarpSegment<Key, Value>);
  launch("scatter", scatter<Key, Value>,
         {tiles, Shape::kThreads, TileMemory<Key, Value>::bytes(level.k(), true)}, stream, from, to,
         map, level, kSample);
}

/// Sorts data by the integers that `map` turns the keys into; both buffers are used.
template <class Key, class Value>
void sort_by_samples(Items<Key, Value> data, Items<Key, Value> alternate, std::size_t n,
                     KeyMap<Key> map, std::byte* d_workspace, cudaStream_t stream) {
  using Tiles = TileShape<Key, Value>;
  using Block = BlockShape<Key, Value>;
  constexpr std::size_t kBlockBytes = bitonic::bytes_of_tile<Block, Key, Value>();
  if (n <= Block::kTileItems) {
    bitonic::sort_one_tile<Block>(data, n, map, stream);
    return;
  }
  const Levels levels = levels_for<Key, Value>(n);
  Layout layout(d_workspace);
  const Workspace<Key> workspace(layout, levels);
  const auto& [first, second, large] = workspace;
  launch("begin_levels", begin_levels<Key>, {1, 1}, stream, first, large, n);
  launch_level<FirstSample<Key>>(first, data, alternate, n, map, stream);
  launch("number_tiles", number_tiles<Tiles::kTile, Key>, {1, kPlaceThreads}, stream, second);

  const bool has_second = levels.second > 0;
  if (has_second) {
    launch_level<SecondSample<Key>>(second, alternate, data, n, map, stream);
  } else {
    launch("move_done", move_done<Key, Value>,
           {n / Tiles::kTile + second.segment_count, Tiles::kThreads}, stream, alternate, data,
           second);
  }
  const auto& from = has_second ? data : alternate;
  const Segment* const leaves = has_second ? second.buckets : first.buckets;
  const unsigned leaf_count = 1u << (levels.first + levels.second);
  launch(
      "sort_small_segments", sort_small_segments<Key, Value>,
      {ceil_div(leaf_count, kWarpsOfLeaves), kWarpsOfLeaves * kWarp, bytes_of_leaves<Key, Value>()},
      stream, from, data, map, leaves, leaf_count, large);
  const std::size_t blocks =
      std::min<std::size_t>(leaf_count, 2 * device_attribute(cudaDevAttrMultiProcessorCount));
  launch("sort_large_segments", sort_large_segments<Key, Value>,
         {blocks, Block::kTileThreads, kBlockBytes}, stream, from, data, map, leaves, large);
}

}  // namespace sortlab::gpu::sample
