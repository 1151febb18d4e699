// Checked CUDA calls and launches: whatever fails throws, and the message names the call or kernel.
// Memory that runs out is an OutOfDeviceMemory, a parameter that this GPU has no room for a BadInput.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstddef>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/contract/errors.hpp"
#include "common/contract/variant.hpp"
#include "common/cuda_check.hpp"
#include "common/utils.hpp"

namespace sortlab::gpu {

/// An attribute of the current device: its number of SMs, its largest shared memory.
inline std::size_t device_attribute(cudaDeviceAttr attribute) {
  int device = 0;
  int value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(value);
}

/// Blocks and threads of a launch; shared_bytes is the dynamic shared memory of a block.
struct Grid {
  std::size_t blocks;
  unsigned threads;
  std::size_t shared_bytes = 0;
};

/// Allows `kernel` the dynamic shared memory of a launch. Hold what is returned until it is
/// launched: another thread may allow the same kernel less, for a launch of its own.
template <class... Parameters>
[[nodiscard]] std::unique_lock<std::mutex> allow_shared_bytes(std::string_view name,
                                                              void (*kernel)(Parameters...),
                                                              std::size_t bytes) {
  static std::mutex mutex;
  constexpr std::size_t kSharedWithoutAsking = 48 * 1024;
  if (bytes <= kSharedWithoutAsking) return {};
  const std::size_t most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (bytes > most) {
    throw BadInput(std::string(name) + " needs " + std::to_string(bytes) +
                   " bytes of shared memory a block with these parameters, this GPU has " +
                   std::to_string(most));
  }
  std::unique_lock until_launched(mutex);
  check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                             cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "launch of " + std::string(name) + " with " + std::to_string(bytes) +
            " bytes of shared memory");
  return until_launched;
}

/// Launches `kernel` on `stream`. A grid without blocks launches nothing, so that n = 0 needs no
/// care.
template <class... Parameters, class... Arguments>
void launch(std::string_view name, void (*kernel)(Parameters...), Grid grid, cudaStream_t stream,
            const Arguments&... arguments) {
  if (grid.blocks == 0) return;
  const auto call = "launch of " + std::string(name);
  if (grid.blocks > std::size_t{std::numeric_limits<int>::max()}) {
    throw std::runtime_error(call + ": more than 2^31 - 1 blocks");
  }
  const auto allowed = allow_shared_bytes(name, kernel, grid.shared_bytes);
  kernel<<<static_cast<unsigned>(grid.blocks), grid.threads, grid.shared_bytes, stream>>>(
      static_cast<Parameters>(arguments)...);
  const cudaError_t status = cudaGetLastError();
  if (status == cudaErrorLaunchOutOfResources) {
    throw BadInput(std::string(name) + " takes too many registers for blocks of " +
                   std::to_string(grid.threads) + " threads on this GPU");
  }
  check(status, call);
}

/// The parameter `name`, which must be a power of two.
inline unsigned power_of_two(const Params& params, std::string_view name) {
  const auto value = static_cast<unsigned>(params[name]);
  if (!std::has_single_bit(value)) {
    throw BadInput(std::string(name) + " must be a power of two, not " + std::to_string(value));
  }
  return value;
}

/// The parameter `name`, which must be a multiple of the 32 lanes of a warp.
inline unsigned whole_warps(const Params& params, std::string_view name) {
  const auto value = static_cast<unsigned>(params[name]);
  if (value % 32 != 0) {
    throw BadInput(std::string(name) + " must be a multiple of 32, not " + std::to_string(value));
  }
  return value;
}

/// The blocks of `kernel` that the current device can hold at a time, without dynamic shared
/// memory.
template <class... Parameters>
std::size_t resident_blocks(void (*kernel)(Parameters...), unsigned threads) {
  int blocks_an_sm = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_an_sm, kernel,
                                                      static_cast<int>(threads), 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  return static_cast<std::size_t>(blocks_an_sm) * device_attribute(cudaDevAttrMultiProcessorCount);
}

}  // namespace sortlab::gpu
