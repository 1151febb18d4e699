#include "library/cuda/gpu_facts.hpp"

#include <cuda_runtime_api.h>

#include <optional>

#include "common/cuda_check.hpp"
#include "gpu/primitives/launch/per_device.hpp"

namespace sortlab::cuda::detail {
namespace {

constinit gpu::PerDevice<GpuFacts> facts_of_devices;
thread_local std::optional<GpuFacts> smaller;

GpuFacts ask(int device) {
  const auto value = [device](cudaDeviceAttr attribute) {
    int value = 0;
    check(cudaDeviceGetAttribute(&value, attribute, device), "cudaDeviceGetAttribute");
    return value;
  };
  const auto bytes = [&](cudaDeviceAttr attribute) {
    return static_cast<std::size_t>(value(attribute));
  };
  return {.sms = bytes(cudaDevAttrMultiProcessorCount),
          .shared_bytes_per_block = bytes(cudaDevAttrMaxSharedMemoryPerBlockOptin),
          .shared_bytes_per_sm = bytes(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
          .cooperative = value(cudaDevAttrCooperativeLaunch) != 0};
}

}  // namespace

GpuFacts gpu_facts() {
  if (smaller) return *smaller;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return facts_of_devices.of(device, [device] { return new GpuFacts(ask(device)); });
}

SmallerGpu::SmallerGpu(const GpuFacts& facts)
    : attributes_({{cudaDevAttrMultiProcessorCount, facts.sms},
                   {cudaDevAttrMaxSharedMemoryPerBlockOptin, facts.shared_bytes_per_block},
                   {cudaDevAttrMaxSharedMemoryPerMultiprocessor, facts.shared_bytes_per_sm},
                   {cudaDevAttrCooperativeLaunch, facts.cooperative ? 1 : 0}}) {
  smaller = facts;
}
SmallerGpu::~SmallerGpu() { smaller.reset(); }

}  // namespace sortlab::cuda::detail
