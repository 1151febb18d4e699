// The first step of the merge sort: each block sorts a tile of the input in shared memory
// (merge_sort/sort_tile.cuh), by ranks where equal keys must keep their order (ranks.cuh).
#pragma once

#include <cstddef>
#include <type_traits>

#include "gpu/merge/multiway/ranks.cuh"
#include "gpu/primitives/block/merge_sort/plan.cuh"
#include "gpu/primitives/block/merge_sort/sort_tile.cuh"
#include "gpu/primitives/block/tile.cuh"

namespace sortlab::gpu::merge::multiway {

using namespace merge_sort;

/// Brings the keys of a tile, as `map` orders them, to shared memory. A barrier.
template <class P, class Map>
__device__ __forceinline__ void load_tile(typename P::Tile tile, typename P::Data from,
                                          unsigned count, const Map& map) {
  auto* const own_keys = &tile.key_at(threadIdx.x);
  for_each_row<P, P::Tile::kCount>(count, [=](unsigned row, unsigned i) {
    gpu::start_copy(own_keys[row * P::Tile::kKeysToNextRow], from.keys[i]);
  });
  wait_for_copies();
  if (!map.changes_nothing()) {  // each thread has copied what it turns
    for_each_row<P, P::Tile::kCount>(count, [=](unsigned row, unsigned) {
      auto& key = own_keys[row * P::Tile::kKeysToNextRow];
      key = map.ordered(key);
    });
  }
  __syncthreads();
}

/// Writes the sorted tile; `map` makes its keys.
template <class P, class Map>
__device__ __forceinline__ void write_tile(typename P::Tile tile, typename P::Data to,
                                           unsigned count, const Map& map) {
  store_tile<P, P::Tile::kCount>(tile, count, to, map, [=](auto* s_values) {
    if constexpr (P::Data::kPairs) {
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < count; i += P::kThreads) {
        start_copy(s_values[i], to.values[i]);
      }
    }
  });
}

/// Sorts each tile of `data`, in place, and samples it. A tile whose input is in order is left
/// alone; any other, or a step down from a tile to the next, raises the flag. One tile alone is
/// sorted sooner with places, as a search waits for step after step.
/// Keys are ordered as `map_in` says, and a tile that is sorted is left as `map_out` says: one tile
/// alone as keys again, many tiles as what orders them. Then `kept`, unless it is null, tells which tiles
/// were left alone.
template <class P, bool kByRanks, class MapIn, class MapOut>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    sort_tiles(typename P::Data data, std::size_t n, unsigned* unsorted, typename P::Key* samples,
               MapIn map_in, MapOut map_out, bool* kept, typename P::State state) {
  using Less = typename P::Less;
  hold<Less>(state);
  using Held = std::conditional_t<kByRanks, KeysOf<P>, P>;  // what a thread's chunk is
  const std::size_t begin = std::size_t{blockIdx.x} * P::Tile::kCount;
  const unsigned count = count_in_tile(n, begin, P::Tile::kCount);
  const auto from = data.from(begin);
  const auto tile = P::tile();
  load_tile<P>(tile, from, count, map_in);

  typename Held::Chunk chunk;
  const bool in_order = take_chunk<Held>({tile.keys, tile.places}, count, chunk);
  const bool steps_down = threadIdx.x == P::kThreads - 1 && begin + count < n &&
                          Less{}(map_in.ordered(from.keys[count]), chunk.keys[P::kItems - 1]);
  const bool is_sorted = __syncthreads_and(in_order);
  if (threadIdx.x == P::kThreads - 1 && (!is_sorted || steps_down)) *unsorted = 1;
  if constexpr (kMayChange<MapIn>) {
    if (threadIdx.x == 0 && kept != nullptr) kept[blockIdx.x] = is_sorted;
  }
  if (!is_sorted) {
    fill_up<Held>(threadIdx.x * P::kItems, count, chunk);
    if constexpr (kByRanks) {
      sort_tile_by_ranks<P>(tile, count, chunk, [=](unsigned row) {
        return map_in.ordered(from.keys[row * P::kThreads + threadIdx.x]);
      });
    } else {
      sort_tile<P>(tile, count, chunk);
    }
  }
  store_samples<P>(begin, count, samples, [=](unsigned i) { return tile.key_at(i); });
  if (!is_sorted) write_tile<P>(tile, from, count, map_out);
}

constexpr unsigned kOrderThreads = 256;
constexpr unsigned kOrderBlocksAnSm = 8;

/// Brings the tiles that sort_tiles left alone to the form of the others, unless all is in order.
template <unsigned kTile, class Key, class Map>
__global__ void __launch_bounds__(kOrderThreads)
    order_kept_tiles(Key* keys, std::size_t n, Map map, const unsigned* unsorted, const bool* kept,
                     std::size_t tiles) {
  if (*unsorted == 0) return;
  for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (!kept[tile]) continue;
    Key* const first = keys + tile * kTile;
    const unsigned count = count_in_tile(n, tile * kTile, kTile);
    for (unsigned i = threadIdx.x; i < count; i += kOrderThreads) first[i] = map.ordered(first[i]);
  }
}

}  // namespace sortlab::gpu::merge::multiway
