// Which GPU there is, and whether this binary has code for it.
//
// The driver alone does not know this. When asked for a kernel's attributes, the runtime looks for
// code that the GPU can run (for its own architecture, or PTX of an older one) and fails if there
// is none.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/harness/config.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/rig/cuda/device_code.hpp"
#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/rig/cuda/nvidia_libraries.hpp"
#include "common/harness/rig/workspace.hpp"
#include "common/timers.hpp"

namespace sortlab {
namespace {

using nlohmann::json;

int chosen_device = -1;  // by choose_device()

/// "13.0" of 13000.
std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

cudaDeviceProp properties() {
  cudaDeviceProp all{};
  check(cudaGetDeviceProperties(&all, 0), "cudaGetDeviceProperties");
  return all;
}

std::string look_for_device() {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "no NVIDIA driver";
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (counted == cudaErrorInsufficientDriver) {
    return "the NVIDIA driver is too old: it supports CUDA " + version_text(driver) +
           ", this build needs " + version_text(CUDART_VERSION);
  }
  if (counted == cudaErrorNoDevice || (counted == cudaSuccess && count == 0)) {
    if (chosen_device >= 0) {
      throw BadInput("--device " + std::to_string(chosen_device) + ": there is no such GPU");
    }
    return "the NVIDIA driver sees no GPU";
  }
  if (counted != cudaSuccess) return cudaGetErrorString(counted);

  cudaFuncAttributes attributes{};
  const cudaError_t found = cudaFuncGetAttributes(&attributes, any_kernel());
  (void)cudaGetLastError();
  if (found == cudaErrorNoKernelImageForDevice || found == cudaErrorInvalidDeviceFunction ||
      found == cudaErrorUnsupportedPtxVersion) {
    const cudaDeviceProp device = properties();
    return std::string(device.name) + " is sm_" + std::to_string(device.major) +
           std::to_string(device.minor) + ", this build has code for " + architectures_of_binary();
  }
  if (found != cudaSuccess) return cudaGetErrorString(found);
  // The parent process only plans, so it should hold no context, and no memory for one, while
  // workers measure.
  check(cudaDeviceReset(), "cudaDeviceReset");
  return "";
}

/// Bytes per second of `copies` of `bytes` each: the best of five, by events.
template <class Copy>
double bandwidth(std::size_t bytes, cudaStream_t stream, Copy copy) {
  const device::Event start, end;
  double best = 0;
  for (int i = 0; i < 6; ++i) {  // the first one warms up
    start.record(stream);
    check(copy(), "cudaMemcpyAsync");
    end.record(stream);
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    const double seconds = static_cast<double>(end.ns_since(start)) * 1e-9;
    if (i > 0) best = std::max(best, static_cast<double>(bytes) / seconds);
  }
  return best;
}

}  // namespace

void choose_device(int number) {
  if (number < 0) throw BadInput("--device " + std::to_string(number) + ": a number from 0");
  std::string entry = std::to_string(number);
  if (const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES"); visible != nullptr) {
    std::vector<std::string> entries{""};
    for (const char* c = visible; *c != '\0'; ++c) {
      *c == ',' ? (void)entries.emplace_back() : entries.back().push_back(*c);
    }
    if (static_cast<std::size_t>(number) >= entries.size()) {
      throw BadInput("--device " + entry + ": CUDA_VISIBLE_DEVICES=" + visible +
                     " has no such entry");
    }
    entry = entries[static_cast<std::size_t>(number)];
  }
  setenv("CUDA_VISIBLE_DEVICES", entry.c_str(), 1);
  chosen_device = number;
}

const std::string& device_unavailable() {
  static const std::string reason = look_for_device();
  return reason;
}

const std::string& gpu_name() {
  static const std::string name =
      device_unavailable().empty() ? std::string(properties().name) : std::string("GPU");
  return name;
}

std::string devices_unavailable(const Devices& devices) {
  int count = 0;
  check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  for (const int device : devices) {
    if (device >= count) {
      return "there is no GPU " + std::to_string(device) + ", only " + std::to_string(count) +
             " of them";
    }
    cudaDeviceProp all{};
    check(cudaGetDeviceProperties(&all, device), "cudaGetDeviceProperties");
    if (all.name != gpu_name()) {
      return "GPU " + std::to_string(device) + " is another model than GPU 0: " + all.name;
    }
  }
  return "";
}

std::string peers_unavailable(const Devices& devices) {
  if (const std::string reason = devices_unavailable(devices); !reason.empty()) return reason;
  for (const int device : devices) {
    for (const int other : devices) {
      int can_access = 1;
      if (other != device) {
        check(cudaDeviceCanAccessPeer(&can_access, device, other), "cudaDeviceCanAccessPeer");
      }
      if (can_access == 0) {
        return "GPU " + std::to_string(device) + " can't access the memory of GPU " +
               std::to_string(other);
      }
    }
  }
  return "";
}

json describe_gpu() {
  json facts = json::object();
  if (!device_unavailable().empty()) return facts;
  const cudaDeviceProp device = properties();
  const auto attribute = [](cudaDeviceAttr which) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, 0), "cudaDeviceGetAttribute");
    return value;
  };
  int driver = 0;
  int runtime = 0;
  check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  facts = {
      {"name", device.name},
      {"compute_capability", std::to_string(device.major) + "." + std::to_string(device.minor)},
      {"sms", device.multiProcessorCount},
      {"sm_clock_kHz", attribute(cudaDevAttrClockRate)},
      {"memory_clock_kHz", attribute(cudaDevAttrMemoryClockRate)},
      {"memory_bus_bits", device.memoryBusWidth},
      {"memory_bytes", device.totalGlobalMem},
      {"l2_bytes", device.l2CacheSize},
      {"shared_bytes_per_block", device.sharedMemPerBlockOptin},
      {"shared_bytes_per_sm", device.sharedMemPerMultiprocessor},
      {"code_for", architectures_of_binary()},
      {"cuda_driver", version_text(driver)},
      {"cuda_runtime", version_text(runtime)}};
  facts.update(device::describe_by_nvml());
  return facts;
}

json measure_gpu_roofs() {
  if (!device_unavailable().empty()) return json::object();
  json roofs;
  {
    const std::size_t bytes = std::min(std::size_t{1} << 30, properties().totalGlobalMem / 8);
    const std::size_t host_bytes = bytes / 4;
    const device::OwnedStream stream;
    const device::DeviceBuffer from(bytes), to(bytes);
    from.fill(1, stream);
    const GuardedBuffer pageable(host_bytes);
    void* pinned = nullptr;
    check(cudaMallocHost(&pinned, host_bytes), "cudaMallocHost");
    const auto copy = [&](void* target, const void* source, std::size_t count,
                          cudaMemcpyKind kind) {
      return bandwidth(count, stream,
                       [&] { return cudaMemcpyAsync(target, source, count, kind, stream); });
    };
    std::byte* const d_to = to.data();
    roofs["device_copy_bytes_per_s"] = 2 * copy(d_to, from.data(), bytes, cudaMemcpyDeviceToDevice);
    roofs["h2d_pinned_bytes_per_s"] = copy(d_to, pinned, host_bytes, cudaMemcpyHostToDevice);
    roofs["d2h_pinned_bytes_per_s"] = copy(pinned, d_to, host_bytes, cudaMemcpyDeviceToHost);
    roofs["h2d_pageable_bytes_per_s"] =
        copy(d_to, pageable.data(), host_bytes, cudaMemcpyHostToDevice);
    roofs["d2h_pageable_bytes_per_s"] =
        copy(pageable.data(), d_to, host_bytes, cudaMemcpyDeviceToHost);
    check(cudaFreeHost(pinned), "cudaFreeHost");
  }
  check(cudaDeviceReset(), "cudaDeviceReset");
  return roofs;
}

}  // namespace sortlab
