// The kernels of gpu/radix/small for keys with values, keys of 32 bits.
#include "gpu/radix/small/launches.cuh"

namespace sortlab::gpu::radix::small {

template void sort(TeamJob<std::uint32_t, std::uint32_t>,
                   const Space<std::uint32_t, std::uint32_t>&,
                   const sweep::Arrays<std::uint32_t, std::uint32_t>&, cudaStream_t);

}  // namespace sortlab::gpu::radix::small
