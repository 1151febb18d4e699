// The segments that are left to sort after the last level of sample sort: a block each, by merging
// in shared memory (gpu/merge/multiway/sort.cuh). One that is larger than a block's tile, which takes
// keys that the sample misjudged, is sorted tile by tile and merged in global memory, by one block
// too: slower, but no more than a merge sort's n log n.
#pragma once

#include "gpu/primitives/thread/merge_path.cuh"
#include "gpu/quick/sample/level.cuh"

namespace sortlab::gpu::quick::sample {

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

}  // namespace sortlab::gpu::quick::sample
