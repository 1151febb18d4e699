// Checked CUDA calls: one that fails throws and names itself.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "common/contract/errors.hpp"

namespace sortlab {

/// Any other failure than of memory.
struct CudaError : std::runtime_error {
  CudaError(cudaError_t status, const std::string& text)
      : std::runtime_error(text), status(status) {}
  cudaError_t status;
};

/// Throws OutOfDeviceMemory when memory ran out, CudaError for any other failure of `call`.
inline void check(cudaError_t status, std::string_view call) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // so that the next checked launch does not report this one again
  if (status == cudaErrorMemoryAllocation) throw OutOfDeviceMemory();
  throw CudaError(status, std::string(call) + ": " + cudaGetErrorString(status));
}

}  // namespace sortlab
