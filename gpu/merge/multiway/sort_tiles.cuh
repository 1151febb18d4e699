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

/// Sorts each tile of `data`, in place, and samples it. A tile whose input is in order is left
/// alone; any other, or a step down from a tile to the next, raises the flag. One tile alone is
/// sorted sooner with places, as a search waits for step after step.
template <class P, bool kByRanks>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    sort_tiles(typename P::Data data, std::size_t n, unsigned* unsorted, typename P::Key* samples) {
  using Less = typename P::Less;
  using Held = std::conditional_t<kByRanks, KeysOf<P>, P>;  // what a thread's chunk is
  const std::size_t begin = std::size_t{blockIdx.x} * P::Tile::kCount;
  const unsigned count = count_in_tile(n, begin, P::Tile::kCount);
  const auto from = data.from(begin);
  const auto tile = P::tile();

  auto* const own_keys = &tile.key_at(threadIdx.x);
  for_each_row<P, P::Tile::kCount>(count, [=](unsigned row, unsigned i) {
    start_copy(own_keys[row * P::Tile::kKeysToNextRow], from.keys[i]);
  });
  wait_for_copies();
  __syncthreads();
  typename Held::Chunk chunk;
  const bool in_order = take_chunk<Held>({tile.keys, tile.places}, count, chunk);
  const bool steps_down = threadIdx.x == P::kThreads - 1 && begin + count < n &&
                          Less{}(from.keys[count], chunk.keys[P::kItems - 1]);
  const bool is_sorted = __syncthreads_and(in_order);
  if (threadIdx.x == P::kThreads - 1 && (!is_sorted || steps_down)) *unsorted = 1;
  if (!is_sorted) {
    fill_up<Held>(threadIdx.x * P::kItems, count, chunk);
    if constexpr (kByRanks) {
      sort_tile_by_ranks<P>(tile, count, chunk, [=](unsigned row) {
        return from.keys[row * P::kThreads + threadIdx.x];
      });
    } else {
      sort_tile<P>(tile, count, chunk);
    }
  }
  store_samples<P>(begin, count, samples, [=](unsigned i) { return tile.key_at(i); });
  if (is_sorted) return;
  store_tile<P, P::Tile::kCount>(tile, count, from, [=](auto* s_values) {
    if constexpr (P::Data::kPairs) {
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < count; i += P::kThreads) {
        start_copy(s_values[i], from.values[i]);
      }
    }
  });
}

}  // namespace sortlab::gpu::merge::multiway
