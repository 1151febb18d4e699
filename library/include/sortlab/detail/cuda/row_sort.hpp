// Sorts of the rows of an array, all in one call.
#pragma once

#include <cstddef>
#include <sortlab/detail/cuda/radix_sort.hpp>

namespace sortlab::cuda::detail {

/// Rows of row.n keys each, one after the other from row.keys.in on. `row` says what is done with each, and where the
/// arrays of the first one begin. Keys alone or with indices, which are places in the row; no values. The
/// result of keys may be in place of the keys.
struct RowSort {
  RadixSort row;
  std::size_t rows;

  /// Without memory, says how much is needed on the current device; else enqueues the sort. It never waits.
  cudaError_t operator()(void* d_temp, std::size_t& temp_bytes, cudaStream_t stream) noexcept;
};

/// d_out[i] = d_in[d_index[i]] in each row, for items of 1, 2, 4 or 8 bytes and indices of 4 or 8.
void gather_rows(const void* d_in, void* d_out, std::size_t item_bytes, const void* d_index,
                 unsigned index_bytes, std::size_t rows, std::size_t n, cudaStream_t stream);

}  // namespace sortlab::cuda::detail
