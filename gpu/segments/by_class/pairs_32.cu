// The kernels of gpu/segments/by_class for pairs, keys of 32 bits.
#include "gpu/segments/by_class/launches.cuh"

namespace sortlab::gpu::segments {

template void sort(const Members<std::uint32_t, std::uint32_t>&, cudaStream_t);

}  // namespace sortlab::gpu::segments
