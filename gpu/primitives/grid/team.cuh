// The blocks of a cooperative launch: all run at the same time and meet in barriers.
#pragma once

#include <cooperative_groups.h>

namespace sortlab::gpu {

struct GridTeam {
  cooperative_groups::grid_group group = cooperative_groups::this_grid();
  __device__ unsigned rank() const { return blockIdx.x; }
  __device__ unsigned size() const { return gridDim.x; }
};

}  // namespace sortlab::gpu
