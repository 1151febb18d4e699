// The kernels of gpu/radix/small for keys with values, keys of 64 bits.
#include "gpu/radix/small/launches.cuh"

namespace sortlab::gpu::radix::small {

template void sort(TeamJob<std::uint64_t, std::uint32_t>,
                   const Space<std::uint64_t, std::uint32_t>&,
                   const sweep::Arrays<std::uint64_t, std::uint32_t>&, cudaStream_t);

}  // namespace sortlab::gpu::radix::small
