// Launches of kernels: whatever fails throws, and the message names the kernel. Memory that runs out is an
// OutOfDeviceMemory, a parameter that this GPU has no room for a BadInput.
//
// launch.cpp has all that does not depend on the types of a kernel, so that this header needs few others: it
// is compiled with each program that sorts by a comparison of its own (sortlab/cuda.cuh).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string_view>

namespace sortlab::gpu {

/// An attribute of the current device: its number of SMs, its largest shared memory.
std::size_t device_attribute(cudaDeviceAttr attribute);

/// Blocks and threads of a launch; shared_bytes is the dynamic shared memory of a block.
struct Grid {
  std::size_t blocks;
  unsigned threads;
  std::size_t shared_bytes = 0;
  unsigned cluster = 1;  // so many blocks at a time, up to 8, are a cluster
};

/// Whether the current device runs clusters of `kernel`. From compute capability 9.0 on GPUs do, unless the program has the
/// kernel's code for older ones alone.
bool runs_clusters(const void* kernel);

/// When a kernel's blocks start.
enum class Start {
  in_turn,  // when the kernel in front of it on the stream has ended
  early     // before that: see early.cuh
};

/// As CUDA's: `arguments` holds the address of each.
void launch_kernel(std::string_view name, const void* kernel, const Grid& grid, cudaStream_t stream,
                   void** arguments, Start start = Start::in_turn);

/// Calls use(kernel, arguments), with the arguments as the types of the kernel's parameters, by their addresses.
template <class Use, class... Parameters>
void with_addresses(Use use, void (*kernel)(Parameters...), Parameters... arguments) {
  void* addresses[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., nullptr};
  use(reinterpret_cast<const void*>(kernel), addresses);
}

/// Launches `kernel` on `stream`. A grid without blocks launches nothing, so that n = 0 needs no care.
template <class... Parameters, class... Arguments>
void launch(std::string_view name, void (*kernel)(Parameters...), Grid grid, cudaStream_t stream,
            const Arguments&... arguments) {
  with_addresses([&](const void* function,
                     void** addresses) { launch_kernel(name, function, grid, stream, addresses); },
                 kernel, static_cast<Parameters>(arguments)...);
}

/// Sets bytes to 0, on the stream.
void clear(void* d_memory, std::size_t bytes, cudaStream_t stream);

}  // namespace sortlab::gpu
