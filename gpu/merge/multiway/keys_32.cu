// The kernels of gpu/merge/multiway for keys alone, keys of 32 bits.
#include "gpu/merge/multiway/suite.cuh"

namespace sortlab::gpu::merge::multiway {

template ResultIn sort<SuitePlan<std::uint32_t, NoValue>>(Items<std::uint32_t, NoValue>,
                                                          Items<std::uint32_t, NoValue>,
                                                          std::size_t, std::byte*, cudaStream_t,
                                                          KeyMap<std::uint32_t>, const NoState&);

}  // namespace sortlab::gpu::merge::multiway
