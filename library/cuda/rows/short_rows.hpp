// Rows that a warp or a block sorts in one go.
#pragma once

#include <cuda_runtime_api.h>

#include "library/cuda/gpu_facts.hpp"
#include "library/cuda/rows/row_keys.hpp"

namespace sortlab::cuda::detail {

/// The most keys of such a row on a GPU.
template <class Bits>
std::size_t most_of_short_row(const GpuFacts& gpu, unsigned key_bytes, bool with_index);

/// Enqueues the sort of rows with at most so many keys, in one launch.
template <class Bits>
void sort_short_rows(const RowKeys<Bits>& keys, cudaStream_t stream);

}  // namespace sortlab::cuda::detail
