// The kernels of gpu/radix/small for keys alone, keys of 32 bits.
#include "gpu/radix/small/launches.cuh"

namespace sortlab::gpu::radix::small {

template void sort(const TeamJob<std::uint32_t, NoValue>&, TeamWords*, cudaStream_t);

}  // namespace sortlab::gpu::radix::small
