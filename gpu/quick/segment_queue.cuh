// Segments of an array that wait to be sorted, in a list in device memory.
#pragma once

#include <cstddef>

#include "gpu/primitives/launch/kernel.cuh"

namespace sortlab::gpu::quick {

struct Segment {
  std::size_t begin;
  std::size_t count;
};

struct SegmentQueue {
  Segment* segments;
  unsigned* count;

  __device__ void push(Segment segment) const { segments[atomicAdd(count, 1u)] = segment; }
};

/// The number that a queue's counter in device memory holds. Waits for the stream.
inline unsigned read_count(const unsigned* d_count, cudaStream_t stream) {
  unsigned count = 0;
  check(cudaMemcpyAsync(&count, d_count, sizeof count, cudaMemcpyDeviceToHost, stream),
        "cudaMemcpyAsync of a queue's length");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  return count;
}

}  // namespace sortlab::gpu::quick
