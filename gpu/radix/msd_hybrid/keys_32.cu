// The kernels of gpu/radix/msd_hybrid for keys of 32 bits.
#include "gpu/radix/msd_hybrid/levels_kernels.cuh"

namespace sortlab::gpu::radix::msd_hybrid {

template void sort_tuned(cudaStream_t, std::byte*, const msd::Buffers<Key32>&, std::size_t, bool);
template class TopLevel<Key32>;
template class BinsSort<Key32>;

}  // namespace sortlab::gpu::radix::msd_hybrid
