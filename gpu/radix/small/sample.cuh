// The sample that a team of gpu/radix/small splits by: runs of neighbours, spread over the input.
#pragma once

#include <algorithm>

#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::radix::small {

/// kRun neighbours of each of count / kRun equal parts of [0, n): number j grows with the place. A
/// part is of kRun places at least; runs begin at multiples of kRun, so that each is one sector or
/// two of the memory.
template <unsigned kRun>
class SamplePlaces {
 public:
  __device__ SamplePlaces(unsigned count, unsigned n)
      : part_(n / (count / kRun)), larger_(n % (count / kRun)) {}
  __device__ __forceinline__ unsigned operator()(unsigned j) const {
    const unsigned run = j / kRun;
    unsigned h = (run + 1) * 0x9e3779b9u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h ^= h >> 13;
    const unsigned place = run * part_ + min(run, larger_) + __umulhi(h, part_ - (kRun - 1));
    return place / kRun * kRun + j % kRun;
  }

 private:
  unsigned part_;
  unsigned larger_;  // so many parts hold one more
};

/// How many of n items to sample, at most `wanted`.
template <class Shape>
unsigned sample_size(unsigned n, unsigned wanted) {
  constexpr unsigned kRun = Shape::kSampleRun;
  return std::min({n / 2, wanted, Shape::kThreads * Shape::kSampleItems}) / kRun * kRun;
}

/// A thread's keys of the sample: number i * threads + t in key[i].
template <class Shape, class Job>
__device__ __forceinline__ void load_sample(const Job& job, unsigned count,
                                            typename Job::Bits (&key)[Shape::kSampleItems]) {
  const SamplePlaces<Shape::kSampleRun> places(count, job.n);
#pragma unroll
  for (unsigned i = 0; i < Shape::kSampleItems; ++i) {
    const unsigned number = i * Shape::kThreads + threadIdx.x;
    if (number < count) key[i] = job.data.keys[places(number)];
  }
}

}  // namespace sortlab::gpu::radix::small
