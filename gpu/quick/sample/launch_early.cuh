// Launches that begin before the kernel in front of them on the stream has ended, so that the next
// kernel's blocks are in place when its input is: for chains of kernels of some microseconds. GPUs
// before compute capability 9.0 have no such launches, and run the kernels one after the other.
#pragma once

#include "gpu/primitives/launch/kernel.cuh"

namespace sortlab::gpu::quick::sample {

/// What a kernel launched by launch_early calls before it touches any memory: lets the kernel
/// behind it start, and waits until the one in front of it has ended.
__device__ __forceinline__ void await_previous_kernel() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

/// Launches `kernel`, which calls await_previous_kernel, on `stream`.
template <class... Parameters, class... Arguments>
void launch_early(std::string_view name, void (*kernel)(Parameters...), Grid grid,
                  cudaStream_t stream, const Arguments&... arguments) {
  if (device_attribute(cudaDevAttrComputeCapabilityMajor) < 9) {
    launch(name, kernel, grid, stream, arguments...);
    return;
  }
  if (grid.blocks == 0) return;
  const auto allowed = allow_shared_bytes(name, kernel, grid.shared_bytes);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(grid.blocks);
  config.blockDim = grid.threads;
  config.dynamicSmemBytes = grid.shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
        "launch of " + std::string(name));
}

/// Launches kernels of some microseconds early. Longer ones would gain nothing, and lose what they
/// do: blocks that are in place early fill the SMs unevenly.
struct Launcher {
  cudaStream_t stream;
  bool early;

  template <class Kernel, class... Arguments>
  void operator()(std::string_view name, Kernel kernel, Grid grid,
                  const Arguments&... arguments) const {
    early ? launch_early(name, kernel, grid, stream, arguments...)
          : launch(name, kernel, grid, stream, arguments...);
  }
};

}  // namespace sortlab::gpu::quick::sample
