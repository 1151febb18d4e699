// The block that finishes last goes on alone, with what all blocks wrote.
#pragma once

namespace sortlab::gpu {

/// Whether this is the last block to come here; if so, it sees what the others wrote before.
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
