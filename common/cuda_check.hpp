// Checked CUDA calls: one that fails throws and names itself. And the choice among several GPUs.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "common/contract/errors.hpp"

namespace sortlab {

/// Throws OutOfDeviceMemory when memory ran out, std::runtime_error for any other failure of `call`.
inline void check(cudaError_t status, std::string_view call) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // so that the next checked launch does not report this one again
  if (status == cudaErrorMemoryAllocation) throw OutOfDeviceMemory();
  throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(status));
}

/// Makes a GPU the current one of its thread, for as long as it exists.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    check(cudaSetDevice(device), "cudaSetDevice");
  }
  ~OnDevice() { (void)cudaSetDevice(before_); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
};

}  // namespace sortlab
