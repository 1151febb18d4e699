// The function of leaf_sort.cuh: a unit for each width of keys (cmake/variants.cmake).
#include "gpu/primitives/grid/msd/leaves.cuh"

namespace sortlab::gpu::msd {

template void launch_leaves<LeafBlockOf<SORTLAB_UNIT_KEY>>(
    const Plan&, const Buffers<SORTLAB_UNIT_KEY>&, const sweep::Sweeps<SORTLAB_UNIT_KEY, NoValue>&,
    const sweep::Arrays<SORTLAB_UNIT_KEY, NoValue>&, cudaStream_t);

}  // namespace sortlab::gpu::msd
