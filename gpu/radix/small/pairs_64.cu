// The kernels of gpu/radix/small for keys with values, keys of 64 bits.
#include "gpu/radix/small/launches.cuh"

namespace sortlab::gpu::radix::small {

template void sort(const TeamJob<std::uint64_t, std::uint32_t>&, TeamWords*, cudaStream_t);

}  // namespace sortlab::gpu::radix::small
