// The block that finishes last continues alone, with the results of all blocks.
#pragma once

namespace sortlab::gpu {

/// Whether this is the last block to call it; if so, it sees all earlier writes of the others.
__device__ inline bool is_last_block(unsigned* blocks_done) {
  __shared__ bool s_is_last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) s_is_last = atomicAdd(blocks_done, 1u) == gridDim.x - 1;
  __syncthreads();
  __threadfence();
  return s_is_last;
}

}  // namespace sortlab::gpu
