// The kernels of gpu/segments/by_class, in a unit for each width of keys and values (cmake/variants.cmake).
#include "gpu/segments/by_class/launches.cuh"

namespace sortlab::gpu::segments {

template void sort(const Members<SORTLAB_UNIT_KEY, SORTLAB_UNIT_VALUE>&, cudaStream_t);

}  // namespace sortlab::gpu::segments
