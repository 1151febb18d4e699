// The kernels of gpu/merge/multiway for keys with values, keys of 32 bits.
#include "gpu/merge/multiway/suite.cuh"

namespace sortlab::gpu::merge::multiway {

template ResultIn sort<SuitePlan<std::uint32_t, std::uint32_t>>(Items<std::uint32_t, std::uint32_t>,
                                                                Items<std::uint32_t, std::uint32_t>,
                                                                std::size_t, std::byte*,
                                                                cudaStream_t, KeyMap<std::uint32_t>,
                                                                const NoState&);

}  // namespace sortlab::gpu::merge::multiway
