// Rows that no block can hold, many in one sort: what comes before and after the sorts of rungs.hpp.
//
// Keys of 2 or 4 bytes: one sort, of words that have the row in front.
//
//   | row | ordered bits of the key |      the place goes along as a value, if it is wanted
//
// Many keys of 2 bytes, where the GPU has the sort of segments: one of these, of words of 4 bytes.
//
//   | ordered bits of the key | place in the row |
//
// Keys of 8 bytes: two stable sorts of the places, by the keys, then by the rows.
#pragma once

#include <cuda_runtime_api.h>

#include "library/cuda/rows/row_keys.hpp"

namespace sortlab::cuda::detail {

/// The words of all keys, of 4 or 8 bytes.
void make_row_words(const RowKeys<std::uint32_t>& keys, unsigned word_bytes, void* d_words,
                    cudaStream_t stream);
/// Keys and places in the row, out of sorted words, and of places in the array, which are null if they are not wanted.
void take_row_words(const RowKeys<std::uint32_t>& keys, unsigned word_bytes, const void* d_words,
                    const std::uint32_t* d_places, cudaStream_t stream);

/// Words of keys of 2 bytes, with the place in the row in the lowest bits.
void make_placed_words(const RowKeys<std::uint32_t>& keys, unsigned place_bits,
                       std::uint32_t* d_words, cudaStream_t stream);
/// What such words hold.
void take_placed_words(const RowKeys<std::uint32_t>& keys, unsigned place_bits,
                       const std::uint32_t* d_words, cudaStream_t stream);

/// The ordered bits of all keys.
void order_keys(const RowKeys<std::uint64_t>& keys, std::uint64_t* d_ordered, cudaStream_t stream);
/// The row of each place in the array.
void rows_of_places(const std::uint32_t* d_places, std::uint32_t* d_rows, std::size_t items,
                    unsigned n, cudaStream_t stream);
/// Keys, into d_keys unless they are not wanted, and places in the row, out of sorted places in the array.
void take_places(const RowKeys<std::uint64_t>& keys, const std::uint32_t* d_places,
                 std::uint64_t* d_keys, cudaStream_t stream);

}  // namespace sortlab::cuda::detail
