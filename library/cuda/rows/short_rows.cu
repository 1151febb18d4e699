// The kernels of short rows, in a unit for keys of 1, 2 and 4 bytes and one for keys of 8 (cmake/variants.cmake).
#include "library/cuda/rows/short_rows.cuh"

namespace sortlab::cuda::detail {

template std::size_t most_of_short_row<SORTLAB_UNIT_KEY>(const GpuFacts&, unsigned, bool);
template void sort_short_rows(const RowKeys<SORTLAB_UNIT_KEY>&, cudaStream_t);

}  // namespace sortlab::cuda::detail
