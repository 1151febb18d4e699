// The kernels of gpu/radix/small for keys alone, keys of 64 bits.
#include "gpu/radix/small/launches.cuh"

namespace sortlab::gpu::radix::small {

template void sort(TeamJob<std::uint64_t, NoValue>, const Space<std::uint64_t, NoValue>&,
                   const sweep::Arrays<std::uint64_t, NoValue>&, cudaStream_t);

}  // namespace sortlab::gpu::radix::small
