#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/contract/errors.hpp"
#include "common/contract/made_once.hpp"
#include "common/cuda_check.hpp"
#include "gpu/primitives/launch/launch.cuh"
#include "gpu/primitives/launch/pretend.hpp"
#include "gpu/primitives/launch/shared_bytes.hpp"

namespace sortlab::gpu {
namespace {

thread_local const PretendedAttributes::Values* pretended = nullptr;

/// The dynamic shared memory that kernels have been allowed. To ask for it again takes as long as a launch.
/// measured: 459 ns for cudaFuncSetAttribute on the host of the H200; h200/attempts/guests.1.txt.xz
using KernelOnDevice = std::pair<int, const void*>;
using Allowed = std::map<KernelOnDevice, std::size_t>;
constinit MadeOnce<Allowed> allowed_so_far;
constinit std::mutex allowing;

/// Whether clusters of a kernel run on a device. The driver takes microseconds to find the kernel's attributes.
using Runs = std::map<KernelOnDevice, bool>;
constinit MadeOnce<Runs> clusters_so_far;
constinit std::mutex asking;

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

void set_attribute(const void* kernel, cudaFuncAttribute attribute, std::size_t value) {
  int device = 0;
  cudaKernel_t handle = nullptr;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaGetKernel(&handle, kernel), "cudaGetKernel");
  check(cudaKernelSetAttributeForDevice(handle, attribute, static_cast<int>(value), device),
        "cudaKernelSetAttributeForDevice");
}

void allow_shared_bytes(std::string_view name, const void* kernel, std::size_t bytes) {
  // A kernel may use 48 KB without asking, what it declares itself included, which is less than 16 KB.
  constexpr std::size_t kSharedWithoutAsking = 32 * 1024;
  if (bytes <= kSharedWithoutAsking) return;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  Allowed& allowed = allowed_so_far.get([] { return Allowed(); });
  const std::lock_guard lock(allowing);
  std::size_t& known = allowed[{device, kernel}];
  if (bytes <= known && pretended == nullptr) return;
  const std::size_t most = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  if (bytes > most) {
    throw BadInput(std::string(name) + " needs " + std::to_string(bytes) +
                   " bytes of shared memory a block with these parameters, this GPU has " +
                   std::to_string(most));
  }
  if (bytes <= known) return;
  set_attribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  known = bytes;
}

bool runs_clusters(const void* kernel) {
  if (device_attribute(cudaDevAttrClusterLaunch) == 0) return false;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  Runs& known = clusters_so_far.get([] { return Runs(); });
  const std::lock_guard lock(asking);
  if (const auto answer = known.find({device, kernel}); answer != known.end())
    return answer->second;
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  return known[{device, kernel}] = attributes.ptxVersion >= 90;
}

void launch_kernel(std::string_view name, const void* kernel, const Grid& grid, cudaStream_t stream,
                   void** arguments, Start start) {
  if (grid.blocks == 0) return;
  if (grid.blocks > std::size_t{std::numeric_limits<int>::max()}) {
    throw std::runtime_error("launch of " + std::string(name) + ": more than 2^31 - 1 blocks");
  }
  allow_shared_bytes(name, kernel, grid.shared_bytes);
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (starts_early(start)) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  if (grid.cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {grid.cluster, 1, 1};
  }
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(grid.blocks);
  config.blockDim = grid.threads;
  config.dynamicSmemBytes = grid.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
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
