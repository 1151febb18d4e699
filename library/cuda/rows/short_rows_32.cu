// The kernels of short rows for keys of 1, 2 and 4 bytes.
#include "library/cuda/rows/short_rows.cuh"

namespace sortlab::cuda::detail {

template std::size_t most_of_short_row<std::uint32_t>(const GpuFacts&, unsigned, bool);
template void sort_short_rows(const RowKeys<std::uint32_t>&, cudaStream_t);

}  // namespace sortlab::cuda::detail
