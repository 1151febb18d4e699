// The kernels of gpu/merge/multiway, in a unit for each width of keys (cmake/variants.cmake), as they take long to compile.
#include "gpu/merge/multiway/suite.cuh"

namespace sortlab::gpu::merge::multiway {

SORTLAB_MULTIWAY_SORT(SORTLAB_UNIT_KEY, NoValue);
SORTLAB_MULTIWAY_SORT(SORTLAB_UNIT_KEY, std::uint32_t);

}  // namespace sortlab::gpu::merge::multiway
