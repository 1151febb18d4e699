// The kernels of gpu/radix/msd_hybrid for keys of 64 bits.
#include "gpu/radix/msd_hybrid/tunings.cuh"

namespace sortlab::gpu::radix::msd_hybrid {

template void sort_tuned(cudaStream_t, std::byte*, const msd::Buffers<Key64>&, std::size_t, bool);

}  // namespace sortlab::gpu::radix::msd_hybrid
