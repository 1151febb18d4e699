// cub::DeviceRadixSort with the count as `int`, as most users pass it.
//
// By the type of the count CUB chooses the width of its offsets: 32 bits here, 64 in cub_radix, which is
// otherwise the same. Which of the two is faster depends on the items.
// Limits: fewer than 2^31 items; floats as cub_radix.
// Source: Adinets and Merrill, Onesweep, arXiv 2206.01784; the CUB library.
#include <cub/version.cuh>

#include <limits>

#include "gpu/baselines/radix_calls.hpp"
#include "gpu/primitives/library_version.cuh"

namespace sortlab {
namespace {
using namespace gpu::baselines;

struct CubRadixInt {
  static constexpr Info info{.summary = "cub::DeviceRadixSort, 32-bit count",
                             .source = "CUB",
                             .memory = Memory::device,
                             .stable = true,
                             .alternate = true,
                             .total_order = false,
                             .lib_version = gpu::LibraryVersion<CUB_VERSION>::text};

  static Limit capacity() { return {std::numeric_limits<int>::max(), "its count is an int"}; }
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return cub_radix_bytes<int>(request);
  }
  template <class Job>
  static ResultIn sort(const Job& job) {
    return cub_radix_sort<int>(job);
  }
};
SORTLAB_REGISTER(CubRadixInt, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
