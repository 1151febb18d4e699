// The function of leaf_sort.cuh: a unit for each width of keys (cmake/variants.cmake).
#include "gpu/primitives/grid/msd/leaves.cuh"

namespace sortlab::gpu::msd {

template void launch_leaves<LeafBlockOf<SORTLAB_UNIT_KEY>>(
    const Plan&, const Buffers<SORTLAB_UNIT_KEY>&, const sweep::AfterSweeps<SORTLAB_UNIT_KEY>&,
    cudaStream_t);

}  // namespace sortlab::gpu::msd
