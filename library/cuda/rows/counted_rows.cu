#include "library/cuda/rows/counted_rows.cuh"

#include "common/utils.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "library/cuda/rows/counted_rows.hpp"

namespace sortlab::cuda::detail {

std::size_t counts_of_rows(std::size_t rows, std::size_t n) {
  return rows * RowChunks(n).in_row * kByteValues;
}

void count_rows(const RowKeys<std::uint32_t>& keys, std::uint32_t* d_counts, cudaStream_t stream) {
  const RowChunks chunks(keys.n);
  const gpu::Grid grid{keys.rows * chunks.in_row, kByteThreads};
  gpu::launch("count_bytes", count_bytes, grid, stream, keys, chunks, d_counts);
  gpu::launch("scan_bytes", scan_bytes, gpu::Grid{keys.rows, kScanThreads}, stream, chunks,
              d_counts);
  if (keys.index != nullptr) {
    gpu::launch("place_bytes", place_bytes, grid, stream, keys, chunks,
                static_cast<const std::uint32_t*>(d_counts));
  }
  if (keys.out != nullptr) {  // last, as the keys may be there
    gpu::launch("fill_bytes", fill_bytes, grid, stream, keys, chunks,
                static_cast<const std::uint32_t*>(d_counts));
  }
}

}  // namespace sortlab::cuda::detail
