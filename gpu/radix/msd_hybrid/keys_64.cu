// The kernels of gpu/radix/msd_hybrid for keys of 64 bits.
#include "gpu/radix/msd_hybrid/levels_kernels.cuh"

namespace sortlab::gpu::radix::msd_hybrid {

template void sort_tuned(cudaStream_t, std::byte*, const msd::Buffers<Key64>&, std::size_t, bool);
template class TopLevel<Key64>;
template class BinsSort<Key64>;

}  // namespace sortlab::gpu::radix::msd_hybrid
