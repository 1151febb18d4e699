// Takes nearly all of the device's memory during its lifetime.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <vector>

namespace sortlab {

class DeviceMemoryHog {
 public:
  DeviceMemoryHog() {
    for (std::size_t block = std::size_t{1} << 36; block >= std::size_t{1} << 20;) {
      void* memory = nullptr;
      if (cudaMalloc(&memory, block) == cudaSuccess) {
        blocks_.push_back(memory);
        bytes_ += block;
      } else {
        (void)cudaGetLastError();
        block /= 2;
      }
    }
  }
  ~DeviceMemoryHog() {
    for (void* const block : blocks_) (void)cudaFree(block);
  }
  DeviceMemoryHog(const DeviceMemoryHog&) = delete;
  DeviceMemoryHog& operator=(const DeviceMemoryHog&) = delete;

  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<void*> blocks_;
  std::size_t bytes_ = 0;
};

}  // namespace sortlab
