// thrust::sort with an allocator that keeps its blocks, for users who want to avoid allocations.
//
// Over thrust_sort: no cudaMalloc and cudaFree in each call (temp_policy cached); the copy back and
// the wait for the stream stay. Each host thread has its own cache, which serves one stream at a
// time, because a returned block may still be in use by its stream. Thrust waits for the stream
// before the sort returns, so the next sort may use the block.
// Limits: floats in CUB's radix order, where -0 and +0 are one key.
// Source: the Thrust library (its custom temporary allocation).
#include <map>

#include "gpu/baselines/thrust_calls.cuh"

namespace sortlab {
namespace {

/// An allocator for Thrust's temporary memory. A block goes to the next request of at most its size
/// and at least half of it; when memory runs out, all idle blocks are freed first.
class CachedMemory {
 public:
  using value_type = char;

  ~CachedMemory() { free_idle(); }

  char* allocate(std::ptrdiff_t bytes) {
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

  void deallocate(char* block, std::size_t) {
    idle_.emplace(sizes_[block], block);
    sizes_.erase(block);
  }

 private:
  void free_idle() {
    (void)cudaGetLastError();
    for (const auto& [size, block] : idle_) (void)cudaFree(block);
    idle_.clear();
  }

  std::multimap<std::size_t, char*> idle_;
  std::map<char*, std::size_t> sizes_;  // of the blocks in use
};

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
    thread_local CachedMemory memory;
    gpu::baselines::thrust_sort(thrust::cuda::par(memory).on(job.stream), job);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(ThrustSortCached, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
