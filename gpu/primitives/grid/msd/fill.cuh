// Buckets whose counts determine the result: each bin holds one value, so no key is read.
#pragma once

#include "gpu/primitives/grid/msd/tile_memory.cuh"

namespace sortlab::gpu::msd {

/// Writes a tile of a bucket whose bins hold one value each, to data. Bin b ends before place
/// d_next[b + 1], the last at the bucket's end.
template <class Bits, class Map, class Shared>
__device__ void fill_tile(const Buffers<Bits, Map>& buffers, const Bucket& bucket, Tile tile,
                          const Count* d_start, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  const bool is_one_value = bucket.min == bucket.max;
  const unsigned bins = is_one_value ? 1 : 1u << bucket.digit_bits;
  for (unsigned b = threadIdx.x; b < bins; b += kThreads) {
    s.to[b] = is_one_value ? bucket.begin : d_start[b];
  }
  __syncthreads();
  unsigned bin = 0;
  for (std::size_t i = tile.begin + threadIdx.x; i < tile.end; i += kThreads) {
    // The last bin that begins at i or before.
    unsigned end = bins;
    while (end - bin > 1) {
      const unsigned middle = (bin + end) / 2;
      (s.to[middle] <= i ? bin : end) = middle;
    }
    const auto value = static_cast<Bits>((is_one_value ? bucket.min : bucket.low) + bin);
    buffers.data[i] = buffers.key_map.key(value);
  }
}

}  // namespace sortlab::gpu::msd
