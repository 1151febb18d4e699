// thrust::sort with thrust::seq inside a kernel of one thread, <<<1, 1>>>: the usual library call
// in device code.
//
// The suite's comparison is not thrust::less or thrust::greater, so Thrust's sequential sort is a
// merge sort (otherwise a radix sort). Both allocate a buffer of the input's size from the device's
// heap, inside the kernel. This heap is 8 MB unless it is enlarged. When it is full, malloc returns
// null and the kernel writes through the null pointer. With n bounded by 65,536 a buffer is at most
// 512 KB of keys and 256 KB of values, so that several sorts at a time fit.
// Limits: bounded n, because of the heap and because one thread does all the work.
// Source: Goralija et al. (std::sort on the GPU; docs/papers.md); the Thrust library.
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <thrust/version.h>

#include "gpu/primitives/launch/one_thread.cuh"
#include "gpu/primitives/launch/ordered_bits.cuh"
#include "gpu/primitives/library_version.cuh"

namespace sortlab {
namespace {

template <class Less, class Key, class Value>
__global__ void one_thread(Items<Key, Value> data, std::size_t n) {
  if constexpr (Items<Key, Value>::kPairs) {
    thrust::sort_by_key(thrust::seq, data.keys, data.keys + n, data.values, Less{});
  } else {
    thrust::sort(thrust::seq, data.keys, data.keys + n, Less{});
  }
}

struct Naive {
  static constexpr Info info{.summary = "thrust::sort(thrust::seq) by one GPU thread",
                             .source = "Thrust",
                             .memory = Memory::device,
                             .lib_version = gpu::LibraryVersion<THRUST_VERSION>::text,
                             .temp_policy = TempPolicy::per_call};

  static Limit patience(std::string_view) { return gpu::one_thread_limit(); }

  template <class Job>
  static ResultIn sort(const Job& job) {
    gpu::launch_one_thread(one_thread<typename Job::Less, typename Job::Key, typename Job::Value>,
                           job.stream, job.data, job.n);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(gpu::OnOrderedBits<Naive>, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
