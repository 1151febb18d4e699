// cub::DeviceRadixSort: NVIDIA's onesweep LSD radix sort, the reference for every rung here.
//
// Keys alone and pairs, through a DoubleBuffer (no copy back: CUB says which buffer holds the
// result), with all temporary memory from the caller.
// A pass over a digit of 8 bits reads and writes each key once: 4 passes and one histogram read are
// 36 bytes per key for 32-bit keys, 8 passes 136 bytes for 64-bit keys.
// The count is passed as 64 bits, so that there is no limit of n; cub_radix_int passes it as `int`.
// Limits: CUB treats -0 and +0 as one key, so floats with -0 may end in another order than
// totalOrder. The sort is stable with respect to CUB's own order.
// Source: Adinets and Merrill, Onesweep, arXiv 2206.01784; the CUB library.
#include <cub/version.cuh>

#include "gpu/baselines/radix_calls.hpp"
#include "gpu/primitives/library_version.cuh"

namespace sortlab {
namespace {
using namespace gpu::baselines;

struct CubRadix {
  static constexpr Info info{.summary = "cub::DeviceRadixSort, DoubleBuffer",
                             .source = "CUB",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true,
                             .total_order = false,
                             .lib_version = gpu::LibraryVersion<CUB_VERSION>::text};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return cub_radix_bytes<std::size_t>(request);
  }
  template <class Job>
  static ResultIn sort(const Job& job) {
    return cub_radix_sort<std::size_t>(job);
  }
};
SORTLAB_REGISTER(CubRadix, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
