// Launches that begin before the kernel in front of them on the stream has ended, so that the next
// kernel's blocks are in place when its input is: for chains of kernels of some microseconds. GPUs
// before compute capability 9.0 have no such launches, and run the kernels one after the other.
// CUDA calls this programmatic dependent launch.
#pragma once

#include "gpu/primitives/grid/in_order.cuh"
#include "gpu/primitives/launch/launch.cuh"

namespace sortlab::gpu {

/// Launches `kernel` on `stream`. It calls await_previous_kernel or await_previous_kernel_alone, or waits for what that
/// one writes last (sweep/partition_tile.cuh).
template <class... Parameters, class... Arguments>
void launch_early(std::string_view name, void (*kernel)(Parameters...), Grid grid,
                  cudaStream_t stream, const Arguments&... arguments) {
  with_addresses(
      [&](const void* function, void** addresses) {
        launch_kernel(name, function, grid, stream, addresses, Start::early);
      },
      kernel, static_cast<Parameters>(arguments)...);
}

/// Launches kernels early, or not.
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

}  // namespace sortlab::gpu
