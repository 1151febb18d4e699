// The radix sort of NVIDIA's libraries, in all ways in which the baselines call it. CUB has it, and Thrust calls CUB's.
//
// Whoever calls it runs the same kernels. So the calls for one type are compiled together (radix_calls.cuh, radix/*.cu),
// and the kernels once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>

#include "common/contract/variant.hpp"

namespace sortlab::gpu::baselines {

/// An allocator for Thrust's temporary memory. A block goes to the next request of at most its size
/// and at least half of it; when memory runs out, all idle blocks are freed first.
class CachedMemory {
 public:
  using value_type = char;

  CachedMemory() = default;
  ~CachedMemory();
  CachedMemory(const CachedMemory&) = delete;
  CachedMemory& operator=(const CachedMemory&) = delete;

  char* allocate(std::ptrdiff_t bytes);
  void deallocate(char* block, std::size_t bytes);

 private:
  void free_idle();

  std::multimap<std::size_t, char*> idle_;
  std::map<char*, std::size_t> sizes_;  // of the blocks in use
};

template <class Key, class Value, Order kOrder>
struct RadixCalls {
  using Items = sortlab::Items<Key, Value>;

  /// cub::DeviceRadixSort. Without `temp` it only writes the bytes that it needs to `temp_bytes`. By the type of the
  /// count CUB chooses the width of its offsets.
  static ResultIn cub(void* temp, std::size_t& temp_bytes, Items data, Items alternate,
                      std::size_t n, Stream stream);
  static ResultIn cub(void* temp, std::size_t& temp_bytes, Items data, Items alternate, int n,
                      Stream stream);

  static void thrust_sort(Items data, std::size_t n, Stream stream);
  static void thrust_stable_sort(Items data, std::size_t n, Stream stream);
  static void thrust_sort(Items data, std::size_t n, Stream stream, CachedMemory& memory);
};

template <class Job>
using RadixCallsOf = RadixCalls<typename Job::Key, typename Job::Value, Job::kOrder>;

template <class Count, class Job>
ResultIn cub_radix_sort(const Job& job) {
  std::size_t temp_bytes = job.workspace.size();
  return RadixCallsOf<Job>::cub(job.workspace.data(), temp_bytes, job.data, job.alternate,
                                static_cast<Count>(job.n), job.stream);
}

template <class Key, class Value, class Count>
std::size_t cub_radix_bytes(Count n) {
  std::size_t bytes = 0;
  RadixCalls<Key, Value, Order::ascending>::cub(nullptr, bytes, {}, {}, n, nullptr);
  return bytes;
}

/// The larger workspace of the two, because CUB tunes integers and floats of one size separately.
template <class Count>
std::size_t cub_radix_bytes(const WorkspaceRequest& request) {
  const auto bytes = [n = static_cast<Count>(request.n)]<class Bits, class Value>(Bits, Value) {
    using Float = std::conditional_t<sizeof(Bits) == 4, float, double>;
    return std::max(cub_radix_bytes<Bits, Value>(n), cub_radix_bytes<Float, Value>(n));
  };
  return visit_widths(request.key_bytes, request.value_bytes, bytes);
}

}  // namespace sortlab::gpu::baselines
