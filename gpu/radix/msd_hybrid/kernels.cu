// The kernels of gpu/radix/msd_hybrid, in a unit for each width of keys (cmake/variants.cmake).
#include "gpu/radix/msd_hybrid/sort.cuh"

namespace sortlab::gpu::radix::msd_hybrid {

template void sort_tuned(cudaStream_t, std::byte*, const msd::Buffers<SORTLAB_UNIT_KEY>&,
                         std::size_t, bool);

}  // namespace sortlab::gpu::radix::msd_hybrid
