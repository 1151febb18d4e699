// thrust::stable_sort as its users call it: on a stream, with Thrust allocating its own temporary
// memory.
//
// For these key types and orders it runs the same CUB radix sort as thrust::sort, which is always
// stable. So the guarantee costs nothing, as this row shows (temp_policy per_call).
// Limits: floats in CUB's radix order, where -0 and +0 are one key.
// Source: the Thrust library.
#include <thrust/version.h>

#include "gpu/baselines/radix_calls.hpp"
#include "gpu/primitives/library_version.cuh"

namespace sortlab {
namespace {

struct ThrustStableSort {
  static constexpr Info info{.summary = "thrust::stable_sort, own allocations",
                             .source = "Thrust",
                             .memory = Memory::device,
                             .stable = true,
                             .total_order = false,
                             .capturable = false,
                             .lib_version = gpu::LibraryVersion<THRUST_VERSION>::text,
                             .temp_policy = TempPolicy::per_call};

  template <class Job>
  static ResultIn sort(const Job& job) {
    gpu::baselines::RadixCallsOf<Job>::thrust_stable_sort(job.data, job.n, job.stream);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(ThrustStableSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
