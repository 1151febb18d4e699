// The library, called as its users call it: sortlab::cuda::sort_keys and sort_pairs with two buffers
// (docs/library_cuda.md).
//
// Over gpu/auto/stable, which makes the same choices: it passes types as numbers, cuts the caller's memory
// into arrays, and asks which GPU is current. The difference between the two is the cost of this.
// Limits: takes the built-in choices, not those of `sortlab tune`.
// Source: our own.
#include <sortlab/cuda.cuh>

#include "common/contract/variant.hpp"
#include "common/cuda_check.hpp"

namespace sortlab {
namespace {

template <class Key, class Value>
cudaError_t enqueue(void* d_temp, std::size_t& bytes, cuda::DoubleBuffer<Key>& keys,
                    cuda::DoubleBuffer<Value>& values, std::size_t n, cudaStream_t stream,
                    const cuda::Options& options) {
  if constexpr (std::is_same_v<Value, NoValue>) {
    return cuda::sort_keys(d_temp, bytes, keys, n, stream, options);
  } else {
    return cuda::sort_pairs(d_temp, bytes, keys, values, n, stream, options);
  }
}

struct LibrarySort {
  static constexpr Info info{
      .summary = "sortlab::cuda::sort_keys and sort_pairs, the library's calls",
      .source = "our own",
      .after = "gpu/auto/stable",
      .memory = Memory::device,
      .stable = true,
      .alternate = true};

  template <class Key, class Value>
  static std::size_t bytes_for(std::size_t n) {
    cuda::DoubleBuffer<Key> keys;
    cuda::DoubleBuffer<Value> values;
    std::size_t bytes = 0;
    check(enqueue(nullptr, bytes, keys, values, n, nullptr, {}), "sortlab::cuda");
    return bytes;
  }

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return visit_widths(
        request.key_bytes, request.value_bytes,
        [&]<class Key, class Value>(Key, Value) { return bytes_for<Key, Value>(request.n); });
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    cuda::DoubleBuffer<typename Job::Key> keys{job.data.keys, job.alternate.keys};
    cuda::DoubleBuffer<typename Job::Value> values{job.data.values, job.alternate.values};
    std::size_t bytes = job.workspace.size();
    check(enqueue(job.workspace.data(), bytes, keys, values, job.n, job.stream,
                  {.order = Job::kOrder}),
          "sortlab::cuda");
    return keys.current == job.data.keys ? ResultIn::data : ResultIn::alternate;
  }
};
SORTLAB_REGISTER(LibrarySort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
