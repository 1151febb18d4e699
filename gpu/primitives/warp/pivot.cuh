// A value that many keys have, which is to be parted from the others.
#pragma once

#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu {

/// Whether many of the lanes' keys are the same. Then that is the pivot, for all lanes.
template <class Bits>
__device__ __forceinline__ bool find_pivot(Bits key, Bits& pivot) {
  constexpr unsigned kMany = kWarp / 4;
  const auto same = static_cast<unsigned>(__popc(__match_any_sync(kAllLanes, key)));
  const unsigned most = lanes_max(kAllLanes, same * kWarp + lane_id());
  pivot = __shfl_sync(kAllLanes, key, static_cast<int>(most % kWarp));
  return most / kWarp >= kMany;
}

}  // namespace sortlab::gpu
