// Rows of keys of 1 byte that no block can hold: counted, not sorted.
//
//   count    chunks of a row: how many of each value                      | 3 0 5 .. | 1 2 4 .. |    a block for each
//   scan     where the first of each value goes, by chunk                 | 0 . 6 .. | 3 4 11 . |    a block for each row
//   place    the places that the keys had, in order, of each chunk                                   a block for each
//   fill     each row with its values, as often as they came
//
// Bytes per key: 1 or 2 read, 1 written; with places a read and their width more. Stable. Memory: an eighth to a fifth of a byte per key.
// Source: textbook; a pass of a radix sort, by rows.
#pragma once

#include <cuda_runtime_api.h>

#include "library/cuda/rows/row_keys.hpp"

namespace sortlab::cuda::detail {

/// How many numbers of 4 bytes the sort needs.
std::size_t counts_of_rows(std::size_t rows, std::size_t n);
void count_rows(const RowKeys<std::uint32_t>& keys, std::uint32_t* d_counts, cudaStream_t stream);

}  // namespace sortlab::cuda::detail
