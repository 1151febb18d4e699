// Sample sort of any keys by any strict weak order; users call `sort`, at the end. This file has
// the leaves, and the host code: the numbers of levels and buckets, and the launches.
#pragma once

#include <algorithm>
#include <bit>

#include "gpu/primitives/thread/merge_path.cuh"
#include "gpu/quick/sample/buckets.cuh"
#include "gpu/quick/sample/distribute.cuh"
#include "gpu/quick/sample/level.cuh"

namespace sortlab::gpu::quick::sample {

// The segments that are left to sort after the last level of sample sort: a block each, by merging
// in shared memory (gpu/merge/multiway/sort.cuh). One that is larger than a block's tile, which takes
// keys that the sample misjudged, is sorted tile by tile and merged in global memory, by one block
// too: slower, but no more than a merge sort's n log n.

/// Larger segments than a block's tile, by their index.
struct LargeSegments {
  unsigned* count;
  unsigned* index;  // there is room for all segments
};

/// Brings the leaf's keys, as they are, to the tile. A barrier.
template <class T>
__device__ __forceinline__ void load_leaf(typename T::Leaf::Tile tile, const typename T::Key* keys,
                                          unsigned count) {
  using P = typename T::Leaf;
  auto* const own_keys = &tile.key_at(threadIdx.x);
#pragma unroll
  for (unsigned r = 0; r < P::kItems; ++r) {
    const unsigned i = r * P::kThreads + threadIdx.x;
    if (i < count) start_copy(own_keys[r * P::Tile::kKeysToNextRow], keys[i]);
  }
  wait_for_copies();
  __syncthreads();
}

/// Takes the thread's chunk out of the tile, as `map` orders the keys. Behind the last item there are
/// copies of the chunk's largest.
template <class T>
__device__ __forceinline__ void take_leaf_chunk(typename T::Leaf::Tile tile, unsigned count,
                                                const typename T::Map& map,
                                                typename T::Leaf::Chunk& chunk) {
  using P = typename T::Leaf;
  const unsigned first = threadIdx.x * P::kItems;
#pragma unroll
  for (unsigned r = 0; r < P::kItems; ++r) {
    chunk.keys[r] = map.ordered(tile.key_at(first + r < count ? first + r : 0));
    if constexpr (P::kPlaced) chunk.places[r] = first + r;
  }
  merge_sort::fill_up<P>(first, count, chunk);
}

/// Writes the sorted keys of the tile, as `map` makes them.
template <class T>
__device__ __forceinline__ void write_leaf_keys(typename T::Leaf::Tile tile, typename T::Key* to,
                                                unsigned count, const typename T::Map& map) {
  using P = typename T::Leaf;
  const auto* const own_keys = &tile.key_at(threadIdx.x);
#pragma unroll
  for (unsigned r = 0; r < P::kItems; ++r) {
    const unsigned i = r * P::kThreads + threadIdx.x;
    if (i < count) to[i] = map.key(own_keys[r * P::Tile::kKeysToNextRow]);
  }
}

/// Loads the leaf's values into the shared memory of its keys, and writes each to the place of its key.
/// Begins with a barrier.
template <class T>
__device__ __forceinline__ void move_leaf_values(typename T::Leaf::Tile tile,
                                                 const typename T::Value* from,
                                                 typename T::Value* to, unsigned count) {
  using P = typename T::Leaf;
  auto* const s_values = reinterpret_cast<typename T::Value*>(dynamic_shared());
  __syncthreads();
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += P::kThreads) start_copy(s_values[i], from[i]);
  wait_for_copies();
  __syncthreads();
  const auto* const own_places = &tile.place_at(threadIdx.x);
#pragma unroll
  for (unsigned r = 0; r < P::kItems; ++r) {
    const unsigned i = r * P::kThreads + threadIdx.x;
    if (i < count) to[i] = s_values[own_places[r * P::Tile::kPlacesToNextRow]];
  }
}

/// Sorts from[0, count) into to[0, count), which may be the same, by a block.
template <class T>
__device__ __forceinline__ void sort_leaf(typename T::Data from, typename T::Data to,
                                          unsigned count, typename T::Map map_in,
                                          typename T::Map map_out) {
  using P = typename T::Leaf;
  const auto tile = P::tile();
  typename P::Chunk chunk;
  load_leaf<T>(tile, from.keys, count);
  take_leaf_chunk<T>(tile, count, map_in, chunk);
  merge_sort::sort_tile<P>(tile, count, chunk);
  write_leaf_keys<T>(tile, to.keys, count, map_out);
  if constexpr (T::Data::kPairs) move_leaf_values<T>(tile, from.values, to.values, count);
}

/// Segment s by block s; those that a block's tile can't hold are listed.
template <class T>
__global__ void __launch_bounds__(T::Leaf::kThreads, T::Leaf::kBlocks)
    sort_segments(typename T::Data from, typename T::Data to, typename T::Map map,
                  const Segment* segments, LargeSegments large) {
  await_previous_kernel();
  const Segment segment = segments[blockIdx.x];
  if (segment.todo == Todo::split && threadIdx.x == 0) {
    large.index[atomicAdd(large.count, 1u)] = blockIdx.x;
  } else if (segment.todo == Todo::sort) {
    sort_leaf<T>(from.from(segment.begin), to.from(segment.begin),
                 static_cast<unsigned>(segment.count), map, map);
  }
}

/// Merges runs of `width` items in pairs.
template <class T>
__device__ __forceinline__ void merge_pairs(typename T::Data from, typename T::Data to, Count count,
                                            Count width) {
  constexpr unsigned kSteps = 16;
  for (Count at = Count{threadIdx.x} * kSteps; at < count; at += Count{blockDim.x} * kSteps) {
    const auto runs = run_pair_at<Count>(at, width, count);
    const auto steps = static_cast<unsigned>(min(count - at, Count{kSteps}));
    merge_serially<typename T::Less>(from, runs, at - runs.begin, steps,
                                     [&](unsigned e, auto item) { to.put(at + e, item); });
  }
  __syncthreads();
}

/// The listed segments, a block each; the result goes to `data`.
template <class T>
__global__ void __launch_bounds__(T::Leaf::kThreads)
    sort_large_segments(typename T::Data from, typename T::Data data, typename T::Data alternate,
                        typename T::Map map, const Segment* segments, LargeSegments large) {
  using Map = typename T::Map;
  await_previous_kernel();
  const unsigned end = *large.count;
  for (unsigned i = blockIdx.x; i < end; i += gridDim.x) {
    const Segment segment = segments[large.index[i]];
    unsigned passes = 0;
    for (Count width = T::kMostInLeaf; width < segment.count; width *= 2) ++passes;
    auto source = (passes % 2 == 0 ? data : alternate).from(segment.begin);
    auto target = (passes % 2 == 0 ? alternate : data).from(segment.begin);
    for (Count at = 0; at < segment.count; at += T::kMostInLeaf) {
      const auto count = static_cast<unsigned>(min(segment.count - at, Count{T::kMostInLeaf}));
      sort_leaf<T>(from.from(segment.begin + at), source.from(at), count, map, Map{});
      __syncthreads();
    }
    for (Count width = T::kMostInLeaf; width < segment.count; width *= 2) {
      merge_pairs<T>(source, target, segment.count, width);
      const auto merged = target;
      target = source;
      source = merged;
    }
    for (Count at = threadIdx.x; at < segment.count; at += blockDim.x) {
      source.keys[at] = map.key(source.keys[at]);
    }
    __syncthreads();
  }
}

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
