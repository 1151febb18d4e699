// Streams of several GPUs: their order, and copies on them.
#pragma once

#include <ranges>
#include <utility>

#include "common/contract/items.hpp"
#include "gpu/primitives/launch/kernel.cuh"

namespace sortlab::gpu::parts {

/// The work that a stream has been given so far, for other streams to wait for.
class Reached {
 public:
  /// The stream's GPU must be the current one.
  explicit Reached(cudaStream_t stream) {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    check(cudaEventRecord(event_, stream), "cudaEventRecord");
  }
  ~Reached() {
    if (event_ != nullptr) (void)cudaEventDestroy(event_);
  }
  Reached(Reached&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Reached& operator=(Reached&&) = delete;

  /// Work that this stream, of any GPU, is given from now on comes after it.
  void hold_back(cudaStream_t stream) const {
    check(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Copies items from one part to another, or within a part. Both may be on one GPU.
template <class Part, class Key, class Value>
void copy_items_between(const Part& from_part, Items<Key, Value> from, const Part& to_part,
                        Items<Key, Value> to, std::size_t count, cudaStream_t stream) {
  if (count == 0) return;
  const auto copy = [&](auto* to_array, const auto* from_array) {
    check(cudaMemcpyPeerAsync(to_array, to_part.device, from_array, from_part.device,
                              count * sizeof(*to_array), stream),
          "cudaMemcpyPeerAsync");
  };
  copy(to.keys, from.keys);
  if constexpr (Items<Key, Value>::kPairs) copy(to.values, from.values);
}

/// Copies a few words between host and device, in either direction. The caller may free or change words of the host
/// that it copied from as soon as this returns.
template <class T>
void copy_words(T* to, const T* from, std::size_t count, cudaStream_t stream) {
  check(cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}

/// The numbers of the parts, 0 to one below `parts`.
inline auto numbers_below(std::size_t parts) { return std::views::iota(std::size_t{0}, parts); }

}  // namespace sortlab::gpu::parts
