// The kernels of gpu/segments/by_class for keys alone, keys of 64 bits.
#include "gpu/segments/by_class/launches.cuh"

namespace sortlab::gpu::segments {

template void sort(const Members<std::uint64_t, NoValue>&, cudaStream_t);

}  // namespace sortlab::gpu::segments
