// thrust::sort as its users call it: on a stream, with Thrust allocating its own temporary memory.
//
// For these key types and orders Thrust runs CUB's radix sort and copies the result back; each call
// also takes the time of a cudaMalloc, a cudaFree and a wait for the stream (temp_policy per_call).
// Limits: floats in CUB's radix order, where -0 and +0 are one key.
// Source: the Thrust library.
#include <thrust/version.h>

#include "gpu/baselines/radix_calls.hpp"
#include "gpu/primitives/library_version.cuh"

namespace sortlab {
namespace {

struct ThrustSort {
  static constexpr Info info{.summary = "thrust::sort, own allocations",
                             .source = "Thrust",
                             .memory = Memory::device,
                             .total_order = false,
                             .capturable = false,
                             .lib_version = gpu::LibraryVersion<THRUST_VERSION>::text,
                             .temp_policy = TempPolicy::per_call};

  template <class Job>
  static ResultIn sort(const Job& job) {
    gpu::baselines::RadixCallsOf<Job>::thrust_sort(job.data, job.n, job.stream);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(ThrustSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
