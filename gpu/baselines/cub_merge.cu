// cub::DeviceMergeSort: NVIDIA's merge sort, a block sort and then two-way Merge Path passes.
//
// It sorts by any comparison, so it gets the suite's own and delivers totalOrder to the byte; the
// StableSort entry points are used, which run the same kernels. The result ends in `data`.
// Each of the log2(n / tile) passes reads and writes each item once.
// Source: the CUB library.
#include "gpu/baselines/cub_merge_calls.cuh"

namespace sortlab {
namespace {
using namespace gpu::baselines;

struct CubMerge {
  static constexpr Info info{.summary = "cub::DeviceMergeSort",
                             .source = "CUB",
                             .memory = Memory::device,
                             .stable = true,
                             .lib_version = gpu::LibraryVersion<CUB_VERSION>::text};

  template <class Key>
  using Less = KeyLess<Key, Order::ascending>;

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto bytes = [&]<class Bits, class Value>(Bits, Value) {
      return cub_merge_bytes<Less<Bits>, Bits, Value>(request.n);
    };
    return visit_widths(request.key_bytes, request.value_bytes, bytes);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    std::size_t temp_bytes = job.workspace.size();
    cub_merge_sort<typename Job::Less>(job.workspace.data(), temp_bytes, job.data, job.n,
                                       job.stream);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(CubMerge, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
