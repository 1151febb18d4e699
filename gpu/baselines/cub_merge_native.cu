// cub::DeviceMergeSort of floats by plain `<`, as users call it for keys without NaN and -0.
//
// gpu/baselines/cub_merge compares by totalOrder, which takes more instructions per comparison. Integers
// have one order, so this variant is for floats alone. It is skipped for keys with a NaN or -0.
// Source: the CUB library.
#include "gpu/baselines/cub_merge_calls.cuh"

namespace sortlab {
namespace {
using namespace gpu::baselines;

template <Order kOrder>
struct NativeLess {
  template <class Key>
  __device__ bool operator()(Key a, Key b) const {
    return kOrder == Order::ascending ? a < b : b < a;
  }
};

struct CubMergeNative {
  static constexpr Info info{.summary = "cub::DeviceMergeSort, floats by plain <",
                             .source = "CUB",
                             .memory = Memory::device,
                             .stable = true,
                             .total_order = false,
                             .lib_version = gpu::LibraryVersion<CUB_VERSION>::text};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto bytes = [&]<class Bits, class Value>(Bits, Value) {
      using Key = std::conditional_t<sizeof(Bits) == 4, float, double>;
      return cub_merge_bytes<NativeLess<Order::ascending>, Key, Value>(request.n);
    };
    return visit_widths(request.key_bytes, request.value_bytes, bytes);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    std::size_t temp_bytes = job.workspace.size();
    cub_merge_sort<NativeLess<Job::kOrder>>(job.workspace.data(), temp_bytes, job.data, job.n,
                                            job.stream);
    return ResultIn::data;
  }
};
using FloatKeys = TypeList<float, double>;
SORTLAB_REGISTER(CubMergeNative, FloatKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
