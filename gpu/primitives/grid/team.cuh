// The blocks of a cooperative launch: all run at the same time and meet in barriers.
#pragma once

#include "gpu/primitives/grid/barrier.cuh"

namespace sortlab::gpu {

struct GridTeam {
  GridBarrier group;
  __device__ unsigned rank() const { return blockIdx.x; }
  __device__ unsigned size() const { return gridDim.x; }
};

}  // namespace sortlab::gpu
