// The kernels of gpu/radix/small for keys alone, keys of 32 bits.
#include "gpu/radix/small/launches.cuh"

namespace sortlab::gpu::radix::small {

template void sort(TeamJob<std::uint32_t, NoValue>, const Space<std::uint32_t, NoValue>&,
                   const sweep::Arrays<std::uint32_t, NoValue>&, cudaStream_t);

}  // namespace sortlab::gpu::radix::small
