// thrust::sort with an allocator that keeps its blocks, for users who want to avoid allocations.
//
// Over thrust_sort: no cudaMalloc and cudaFree in each call (temp_policy cached); the copy back and
// the wait for the stream stay. Each host thread has its own cache, which serves one stream at a
// time, because a returned block may still be in use by its stream. Thrust waits for the stream
// before the sort returns, so the next sort may use the block.
// Limits: floats in CUB's radix order, where -0 and +0 are one key.
// Source: the Thrust library (its custom temporary allocation).
#include <cuda_runtime.h>
#include <thrust/version.h>

#include "common/cuda_check.hpp"
#include "gpu/baselines/radix_calls.hpp"
#include "gpu/primitives/library_version.cuh"

namespace sortlab {

namespace gpu::baselines {

CachedMemory::~CachedMemory() { free_idle(); }

char* CachedMemory::allocate(std::ptrdiff_t bytes) {
  const auto size = static_cast<std::size_t>(bytes);
  const auto idle = idle_.lower_bound(size);
  if (idle != idle_.end() && idle->first <= 2 * size) {
    char* const block = idle->second;
    sizes_[block] = idle->first;
    idle_.erase(idle);
    return block;
  }
  char* block = nullptr;
  if (cudaMalloc(reinterpret_cast<void**>(&block), size) != cudaSuccess) {
    free_idle();
    check(cudaMalloc(reinterpret_cast<void**>(&block), size), "cudaMalloc");
  }
  sizes_[block] = size;
  return block;
}

void CachedMemory::deallocate(char* block, std::size_t) {
  idle_.emplace(sizes_[block], block);
  sizes_.erase(block);
}

void CachedMemory::free_idle() {
  (void)cudaGetLastError();
  for (const auto& [size, block] : idle_) (void)cudaFree(block);
  idle_.clear();
}

}  // namespace gpu::baselines

namespace {

struct ThrustSortCached {
  static constexpr Info info{.summary = "thrust::sort, cached allocations",
                             .source = "Thrust",
                             .after = "gpu/baselines/thrust_sort",
                             .memory = Memory::device,
                             .total_order = false,
                             .capturable = false,
                             .lib_version = gpu::LibraryVersion<THRUST_VERSION>::text,
                             .temp_policy = TempPolicy::cached};

  template <class Job>
  static ResultIn sort(const Job& job) {
    thread_local gpu::baselines::CachedMemory memory;
    gpu::baselines::RadixCallsOf<Job>::thrust_sort(job.data, job.n, job.stream, memory);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(ThrustSortCached, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
