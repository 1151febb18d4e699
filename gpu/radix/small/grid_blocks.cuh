// How many blocks sort together.
#pragma once

#include <algorithm>

#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/radix/small/team.cuh"

namespace sortlab::gpu::radix::small {

/// The most blocks of a team on the current device.
inline unsigned grid_blocks() {
  const std::size_t processors = device_attribute(cudaDevAttrMultiProcessorCount);
  return static_cast<unsigned>(std::min<std::size_t>(processors, kMaxTeam));
}

}  // namespace sortlab::gpu::radix::small
