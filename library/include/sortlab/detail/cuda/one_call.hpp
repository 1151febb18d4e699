// The calls of sortlab/cuda.cuh that get their own memory.
#pragma once

#include <cuda_runtime_api.h>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace sortlab::cuda::detail {

/// Allocates memory in the order of a stream, as RMM's resources do. `allocate` returns null or throws if there
/// is none.
template <class M>
concept Memory = requires(M& memory, void* d_memory, std::size_t bytes, cudaStream_t stream) {
  { memory.allocate(bytes, stream) } -> std::convertible_to<void*>;
  memory.deallocate(d_memory, bytes, stream);
};

/// The pool of the stream's device. While another thread captures, CUDA forbids to use it unless a thread says that
/// it knows what it does.
struct DeviceMemory {
  cudaError_t status = cudaSuccess;  // why there is none

  void* allocate(std::size_t bytes, cudaStream_t stream) noexcept {
    void* d_memory = nullptr;
    status = beside_captures([&] { return cudaMallocAsync(&d_memory, bytes, stream); });
    if (status == cudaSuccess) return d_memory;
    (void)cudaGetLastError();
    return nullptr;
  }
  void deallocate(void* d_memory, std::size_t, cudaStream_t stream) noexcept {
    (void)beside_captures([&] { return cudaFreeAsync(d_memory, stream); });
  }

 private:
  template <class Use>
  static cudaError_t beside_captures(Use use) noexcept {
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    const cudaError_t status = use();
    (void)cudaThreadExchangeStreamCaptureMode(&mode);
    return status;
  }
};

/// Asks `call` for its bytes, gets them, and enqueues the sort.
template <class Call, class M>
cudaError_t in_one_call(Call call, cudaStream_t stream, M& memory) noexcept {
  std::size_t bytes = 0;
  if (const cudaError_t status = call(nullptr, bytes, stream); status != cudaSuccess) return status;
  void* d_temp = nullptr;
  try {
    d_temp = memory.allocate(bytes, stream);
  } catch (...) {
    return cudaErrorMemoryAllocation;
  }
  if (d_temp == nullptr) {
    if constexpr (std::is_same_v<M, DeviceMemory>) return memory.status;
    return cudaErrorMemoryAllocation;
  }
  const cudaError_t status = call(d_temp, bytes, stream);
  memory.deallocate(d_temp, bytes, stream);
  return status;
}

}  // namespace sortlab::cuda::detail
