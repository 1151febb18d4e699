// The host memory of a sort from host to host: pageable, or pinned, which the GPU can access
// directly.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/rig/workspace.hpp"

namespace sortlab::device {

class HostMemory {
 public:
  HostMemory() = default;
  HostMemory(std::size_t bytes, bool pinned) : bytes_(bytes) {
    if (!pinned) {
      pageable_ = GuardedBuffer(bytes);
    } else if (bytes > 0) {
      check(cudaMallocHost(&pinned_, bytes), "cudaMallocHost");
    }
  }
  ~HostMemory() {
    if (pinned_ != nullptr) (void)cudaFreeHost(pinned_);
  }
  HostMemory(HostMemory&& other) noexcept { *this = std::move(other); }
  HostMemory& operator=(HostMemory&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    std::swap(pageable_, other.pageable_);
    std::swap(pinned_, other.pinned_);
    return *this;
  }

  std::byte* data() const {
    return pinned_ != nullptr ? static_cast<std::byte*>(pinned_) : pageable_.data();
  }
  std::size_t size() const { return bytes_; }

 private:
  std::size_t bytes_ = 0;
  GuardedBuffer pageable_;
  void* pinned_ = nullptr;
};

}  // namespace sortlab::device
