// The kernels of short rows for keys of 8 bytes.
#include "library/cuda/rows/short_rows.cuh"

namespace sortlab::cuda::detail {

template std::size_t most_of_short_row<std::uint64_t>(const GpuFacts&, unsigned, bool);
template void sort_short_rows(const RowKeys<std::uint64_t>&, cudaStream_t);

}  // namespace sortlab::cuda::detail
