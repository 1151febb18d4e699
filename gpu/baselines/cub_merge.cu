// cub::DeviceMergeSort: NVIDIA's merge sort, a block sort and then two-way Merge Path passes.
//
// It sorts by any comparison, so it gets the suite's own and delivers totalOrder to the byte; the
// StableSort entry points are used, which run the same kernels. The result ends in `data`.
// Each of the log2(n / tile) passes reads and writes each item once.
// Source: the CUB library.
#include <cub/device/device_merge_sort.cuh>
#include <cub/version.cuh>

#include "common/contract/variant.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/library_version.cuh"

namespace sortlab {
namespace {

/// One call of CUB. Without `temp` it only writes the bytes that it needs to `temp_bytes`.
template <class Less, class Key, class Value>
void cub_sort(void* temp, std::size_t& temp_bytes, Items<Key, Value> data, std::size_t n,
              cudaStream_t stream) {
  using cub::DeviceMergeSort;
  cudaError_t status{};
  if constexpr (Items<Key, Value>::kPairs) {
    status = DeviceMergeSort::StableSortPairs(temp, temp_bytes, data.keys, data.values, n, Less{},
                                              stream);
  } else {
    status = DeviceMergeSort::StableSortKeys(temp, temp_bytes, data.keys, n, Less{}, stream);
  }
  check(status, "cub::DeviceMergeSort");
}

template <class Key>
std::size_t temp_bytes_of(std::size_t n, bool pairs) {
  using Less = KeyLess<Key, Order::ascending>;
  std::size_t bytes = 0;
  if (pairs) {
    cub_sort<Less>(nullptr, bytes, Items<Key, std::uint32_t>{}, n, nullptr);
  } else {
    cub_sort<Less>(nullptr, bytes, Items<Key, NoValue>{}, n, nullptr);
  }
  return bytes;
}

struct CubMerge {
  static constexpr Info info{.summary = "cub::DeviceMergeSort",
                             .source = "CUB",
                             .memory = Memory::device,
                             .stable = true,
                             .lib_version = gpu::LibraryVersion<CUB_VERSION>::text};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const bool pairs = request.value_bytes > 0;
    return request.key_bytes == 4 ? temp_bytes_of<std::uint32_t>(request.n, pairs)
                                  : temp_bytes_of<std::uint64_t>(request.n, pairs);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    std::size_t temp_bytes = job.workspace.size();
    cub_sort<typename Job::Less>(job.workspace.data(), temp_bytes, job.data, job.n, job.stream);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(CubMerge, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
