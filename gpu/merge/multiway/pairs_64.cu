// The kernels of gpu/merge/multiway for keys with values, keys of 64 bits.
#include "gpu/merge/multiway/suite.cuh"

namespace sortlab::gpu::merge::multiway {

template ResultIn sort<SuitePlan<std::uint64_t, std::uint32_t>>(Items<std::uint64_t, std::uint32_t>,
                                                                Items<std::uint64_t, std::uint32_t>,
                                                                std::size_t, std::byte*,
                                                                cudaStream_t, KeyMap<std::uint64_t>,
                                                                const NoState&);

}  // namespace sortlab::gpu::merge::multiway
