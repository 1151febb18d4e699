// Kernels that bring keys and values into the form that the radix sorts take, and back.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "library/cuda/key_form.hpp"

namespace sortlab::cuda::detail {

/// Writes the ordered bits, 4 bytes each, of n keys of 1 or 2 bytes.
void load_narrow_keys(const void* d_keys, unsigned key_bytes, void* d_ordered, std::size_t n,
                      const NarrowForm& form, cudaStream_t stream);
/// The inverse.
void store_narrow_keys(const void* d_ordered, void* d_keys, unsigned key_bytes, std::size_t n,
                       const NarrowForm& form, cudaStream_t stream);
/// Copies n floats of 4 or 8 bytes. Those that the call takes as equal become the same.
void equate_floats(const void* d_in, void* d_out, unsigned key_bytes, std::size_t n,
                   const RadixSort& call, cudaStream_t stream);

/// d_index[i] = i.
void number_items(void* d_index, unsigned index_bytes, std::size_t n, cudaStream_t stream);
/// Unsigned integers of other widths: each of the two is 1, 2, 4 or 8.
void convert(const void* d_in, unsigned in_bytes, void* d_out, unsigned out_bytes, std::size_t n,
             cudaStream_t stream);
/// d_out[i] = d_in[d_index[i]], items of `item_bytes`.
void gather_items(const void* d_in, void* d_out, std::size_t item_bytes, const void* d_index,
                  unsigned index_bytes, std::size_t n, cudaStream_t stream);
/// The same in each row of n items, for n_of_all items of 1, 2, 4 or 8 bytes.
void gather_in_rows(const void* d_in, void* d_out, std::size_t item_bytes, const void* d_index,
                    unsigned index_bytes, std::size_t n_of_all, std::size_t n, cudaStream_t stream);

}  // namespace sortlab::cuda::detail
