// Sample sort of any keys by any strict weak order; users call `sort`, at the end. This file has
// the host code: the numbers of levels and buckets, and the launches.
#pragma once

#include <algorithm>
#include <bit>

#include "gpu/quick/sample/count.cuh"
#include "gpu/quick/sample/leaves.cuh"
#include "gpu/quick/sample/scatter.cuh"
#include "gpu/quick/sample/splitters.cuh"

namespace sortlab::gpu::quick::sample {

/// log2 of the buckets in each level; no second level if it is 0.
struct Levels {
  unsigned first;
  unsigned second;
};

/// Segments are on average at most half as large as a block's tile.
template <class T>
constexpr Levels levels_for(std::size_t n) {
  const std::size_t buckets = std::bit_ceil(ceil_div(n, T::kMostInLeaf / 2));
  const auto bits = static_cast<unsigned>(std::bit_width(buckets) - 1);
  if (bits <= T::kMostInOneLevel) return {bits, 0};
  const unsigned first = std::min((bits + 1) / 2, kMaxLogK);
  return {first, std::min(bits - first, kMaxLogK)};
}

template <class T>
struct Workspace {
  using Key = typename T::Key;
  Level<Key> first;
  Level<Key> second;
  LargeSegments large;

  Workspace(Layout& layout, Levels levels, std::size_t n) {
    const bool wide = levels.first > 8;
    const BucketNumbers numbers{layout.take<std::byte>(wide ? 2 * n : n), wide};
    const std::size_t k = std::size_t{1} << levels.first;
    const std::size_t leaves = k << levels.second;
    first = take_level(layout, layout.take<Segment>(1), 1, levels.first, numbers);
    second = first;
    if (levels.second > 0) {
      second = take_level(layout, first.buckets, k, levels.second, numbers);
    } else {
      second.segments = first.buckets;  // only to move finished ones
      second.segment_count = static_cast<unsigned>(k);
      second.tile_begin = layout.take<Count>(k + 1);
    }
    large = {layout.take<unsigned>(1), layout.take<unsigned>(leaves)};
  }

 private:
  static Level<Key> take_level(Layout& layout, Segment* segments, std::size_t segment_count,
                               unsigned log_k, BucketNumbers numbers) {
    const std::size_t buckets = segment_count << log_k;
    return {static_cast<unsigned>(segment_count),
            log_k,
            segments,
            layout.take<Count>(segment_count + 1),
            layout.take<Key>(buckets),
            layout.take<unsigned>(segment_count),
            layout.take<Count>(buckets),
            layout.take<Segment>(buckets),
            numbers};
  }
};

/// The whole array as the first level's only segment.
template <class Key>
__global__ void begin_levels(Level<Key> first, LargeSegments large, std::size_t n, Count tiles) {
  await_previous_kernel();
  first.segments[0] = {0, n, Todo::split};
  first.tile_begin[0] = 0;
  first.tile_begin[1] = tiles;
  *large.count = 0;
}

/// Cuts all segments of a level, from one buffer into the other.
template <class T>
void launch_level(const Level<typename T::Key>& level, typename T::Data from, typename T::Data to,
                  std::size_t n, typename T::Map map, const Launcher& start) {
  const std::size_t most_tiles =
      level.segment_count == 1 ? ceil_div(n, T::kTile) : n / T::kTile + level.segment_count;
  const std::size_t resident = T::kCountBlocks * device_attribute(cudaDevAttrMultiProcessorCount);
  const std::size_t at_once = std::clamp<std::size_t>(most_tiles / resident, 1, kMostTilesAtOnce);
  start("choose_splitters", choose_splitters<T>,
        {level.segment_count, T::Sampler::kThreads, T::Sampler::kSharedBytes}, from.keys, map,
        level);
  start("count_buckets", count_buckets<T>,
        {std::min(resident, ceil_div(most_tiles, at_once)), T::kThreads,
         bytes_of_count<T>(level.k())},
        from.keys, map, level, at_once);
  start("place_buckets", place_buckets<T>, {level.segment_count, kPlaceThreads}, level);
  start("scatter", scatter<T>, {most_tiles, T::kThreads, TileMemory<T>::bytes(level.k())}, from, to,
        level);
}

/// There is only one leaf.
template <class T>
__global__ void __launch_bounds__(T::Leaf::kThreads, T::Leaf::kBlocks)
    sort_one_leaf(typename T::Data data, unsigned count, typename T::Map map) {
  sort_leaf<T>(data, data, count, map, map);
}

/// The workspace of `sort` for n items.
template <class T>
std::size_t workspace_bytes(std::size_t n) {
  Layout layout;
  Workspace<T>(layout, levels_for<T>(n), n);
  return layout.bytes();
}

/// Sorts `data` by T, a Types<...>; both buffers are used.
template <class T>
void sort(typename T::Data data, typename T::Data alternate, std::size_t n, std::byte* d_workspace,
          cudaStream_t stream, typename T::Map map = {}) {
  if (n < 2) return;
  if (n <= T::kMostInLeaf) {
    launch("sort_one_leaf", sort_one_leaf<T>, {1, T::Leaf::kThreads, T::Leaf::kSharedBytes}, stream,
           data, static_cast<unsigned>(n), map);
    return;
  }
  const Levels levels = levels_for<T>(n);
  Layout layout(d_workspace);
  const Workspace<T> workspace(layout, levels, n);
  const auto& [first, second, large] = workspace;
  const Launcher start{stream, n <= T::kMostLaunchedEarly};
  start("begin_levels", begin_levels<typename T::Key>, {1, 1}, first, large, n,
        ceil_div(n, T::kTile));
  launch_level<T>(first, data, alternate, n, map, start);
  start("number_tiles", number_tiles<T::kTile, typename T::Key>, {1, kPlaceThreads}, second);

  const bool has_second = levels.second > 0;
  if (has_second) {
    launch_level<T>(second, alternate, data, n, map, start);
  } else {
    start("move_done", move_done<T>, {n / T::kTile + second.segment_count, T::kThreads}, alternate,
          data, second);
  }
  const auto& from = has_second ? data : alternate;
  const Segment* const leaves = has_second ? second.buckets : first.buckets;
  const std::size_t leaf_count = std::size_t{1} << (levels.first + levels.second);
  start("sort_segments", sort_segments<T>, {leaf_count, T::Leaf::kThreads, T::Leaf::kSharedBytes},
        from, data, map, leaves, large);
  const std::size_t blocks =
      std::min<std::size_t>(leaf_count, 2 * device_attribute(cudaDevAttrMultiProcessorCount));
  start("sort_large_segments", sort_large_segments<T>,
        {blocks, T::Leaf::kThreads, T::Leaf::kSharedBytes}, from, data, alternate, map, leaves,
        large);
}

}  // namespace sortlab::gpu::quick::sample
