// CUDA's errors as Python's, and the device that a call works on.
#pragma once

#include <cuda_runtime_api.h>
#include <nanobind/nanobind.h>

#include <new>
#include <stdexcept>
#include <string>

namespace sortlab::python {

/// Throws what Python raises: MemoryError, ValueError or RuntimeError.
inline void check(cudaError_t status) {
  if (status == cudaSuccess) [[likely]]
    return;
  (void)cudaGetLastError();
  if (status == cudaErrorMemoryAllocation) throw std::bad_alloc();
  const std::string text =
      std::string("CUDA: ") + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")";
  if (status == cudaErrorInvalidValue || status == cudaErrorInvalidDevice) {
    throw nanobind::value_error(text.c_str());
  }
  throw std::runtime_error(text);
}

/// Makes a device the current one during its lifetime.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device) : device_(device) {
    check(cudaGetDevice(&before_));
    if (before_ != device_) check(cudaSetDevice(device_));
  }
  ~CurrentDevice() {
    if (before_ != device_) (void)cudaSetDevice(before_);
  }
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int device_;
  int before_ = 0;
};

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~Event() { (void)cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace sortlab::python
