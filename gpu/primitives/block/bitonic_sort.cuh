// A block sorts a tile of any number of items in shared memory by the bitonic network, ascending.
#pragma once

#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/thread/bitonic_network.cuh"

namespace sortlab::gpu {

/// Sorts s_tile[0, count) with all threads of the block, which must have written it before; ends
/// with a barrier. The tile is a separate sequence, so its last stage, and with it the tile, is
/// ascending.
template <class Less, class Key, class Value>
__device__ void sort_shared_tile(Items<Key, Value> s_tile, unsigned count) {
  __syncthreads();
  for (unsigned k = 2; k / 2 < count; k *= 2) {
    for (unsigned j = k / 2; j > 0; j /= 2) {
      for (unsigned p = threadIdx.x; p < count / 2; p += blockDim.x) {
        const auto pair = pair_of<Scheme::shifted, unsigned>(p, j);
        if (pair.is_within(count)) {
          exchange<Less>(s_tile, pair.low, pair.high, is_upwards(pair.low, count - 1, k));
        }
      }
      __syncthreads();
    }
  }
}

/// The tile of the sources' first phase.
constexpr unsigned kSortedTile = 512;

template <class Less, class Key, class Value>
__global__ void __launch_bounds__(kSortedTile / 2)
    sort_tiles_of_512(Items<Key, Value> data, std::size_t n) {
  const std::size_t first = std::size_t{blockIdx.x} * kSortedTile;
  const unsigned count = count_in_tile(n, first, kSortedTile);
  const auto s_tile = items_at<Key, Value>(dynamic_shared(), kSortedTile);
  copy_items(data.from(first), s_tile, count);
  sort_shared_tile<Less>(s_tile, count);
  copy_items(s_tile, data.from(first), count);
}

/// Sorts each 512 items of job.data in place, with one thread per two items.
template <class Job>
void launch_sort_tiles_of_512(const Job& job) {
  using Key = typename Job::Key;
  using Value = typename Job::Value;
  launch("sort_tiles_of_512", sort_tiles_of_512<typename Job::Less, Key, Value>,
         {ceil_div(job.n, kSortedTile), kSortedTile / 2, bytes_of_items<Key, Value>(kSortedTile)},
         job.stream, job.data, job.n);
}

}  // namespace sortlab::gpu
