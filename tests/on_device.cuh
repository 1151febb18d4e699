// An array in device memory with a test's items.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/primitives/launch/kernel.cuh"

namespace sortlab::gpu {

template <class T>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<T>& items) : count_(items.size()) {
    check(cudaMalloc(&d_items_, count_ * sizeof(T) + 1), "cudaMalloc");
    check(cudaMemcpy(d_items_, items.data(), count_ * sizeof(T), cudaMemcpyHostToDevice),
          "cudaMemcpy");
  }
  ~OnDevice() { cudaFree(d_items_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

  T* get() const { return d_items_; }
  std::vector<T> on_host() const {
    std::vector<T> items(count_);
    check(cudaMemcpy(items.data(), d_items_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    return items;
  }

 private:
  std::size_t count_;
  T* d_items_ = nullptr;
};

}  // namespace sortlab::gpu
