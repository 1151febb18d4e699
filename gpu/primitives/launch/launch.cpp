#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/contract/errors.hpp"
#include "common/cuda_check.hpp"
#include "gpu/primitives/launch/launch.cuh"
#include "gpu/primitives/launch/pretend.hpp"
#include "gpu/primitives/launch/shared_bytes.hpp"

namespace sortlab::gpu {
namespace {

thread_local const PretendedAttributes::Values* pretended = nullptr;

/// GPUs know early starts from compute capability 9.0 on.
bool starts_early(Start start) {
  return start == Start::early && device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
}

}  // namespace

PretendedAttributes::PretendedAttributes(Values values) : values_(std::move(values)) {
  pretended = &values_;
}
PretendedAttributes::~PretendedAttributes() { pretended = nullptr; }

std::size_t device_attribute(cudaDeviceAttr attribute) {
  if (pretended != nullptr) {
    if (const auto known = pretended->find(attribute); known != pretended->end())
      return known->second;
  }
  int device = 0;
  int value = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
  return static_cast<std::size_t>(value);
}

std::unique_lock<std::mutex> allow_shared_bytes(std::string_view name, const void* kernel,
                                                std::size_t bytes) {
  static std::array<std::mutex, 64> mutexes;  // so that launches of other kernels seldom wait
  constexpr std::size_t kSharedWithoutAsking = 48 * 1024;
  if (bytes <= kSharedWithoutAsking) return {};
  const std::size_t most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (bytes > most) {
    throw BadInput(std::string(name) + " needs " + std::to_string(bytes) +
                   " bytes of shared memory a block with these parameters, this GPU has " +
                   std::to_string(most));
  }
  std::unique_lock until_launched(mutexes[reinterpret_cast<std::uintptr_t>(kernel) / 16 % 64]);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "launch of " + std::string(name) + " with " + std::to_string(bytes) +
            " bytes of shared memory");
  return until_launched;
}

void launch_kernel(std::string_view name, const void* kernel, const Grid& grid, cudaStream_t stream,
                   void** arguments, Start start) {
  if (grid.blocks == 0) return;
  if (grid.blocks > std::size_t{std::numeric_limits<int>::max()}) {
    throw std::runtime_error("launch of " + std::string(name) + ": more than 2^31 - 1 blocks");
  }
  const auto allowed = allow_shared_bytes(name, kernel, grid.shared_bytes);
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(grid.blocks);
  config.blockDim = grid.threads;
  config.dynamicSmemBytes = grid.shared_bytes;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = starts_early(start) ? 1 : 0;
  const cudaError_t status = cudaLaunchKernelExC(&config, kernel, arguments);
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  if (status == cudaErrorLaunchOutOfResources) {
    throw BadInput(std::string(name) + " takes too many registers for blocks of " +
                   std::to_string(grid.threads) + " threads on this GPU");
  }
  check(status, "launch of " + std::string(name));
}

void clear(void* d_memory, std::size_t bytes, cudaStream_t stream) {
  check(cudaMemsetAsync(d_memory, 0, bytes, stream), "cudaMemsetAsync");
}

}  // namespace sortlab::gpu
