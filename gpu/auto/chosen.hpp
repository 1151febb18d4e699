// A sort that calls another variant, chosen once n and the types are known.
#pragma once

#include <cuda_runtime.h>

#include "common/choose/choice_table.hpp"
#include "common/choose/gpu_choice.hpp"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/per_device.hpp"

namespace sortlab::gpu {

template <bool kStable>
inline constinit PerDevice<ChoiceTable> choice_tables;

/// If a process sees one GPU, this does not ask which one is current.
/// measured: 37 ns for cudaGetDevice on the host of the H200; h200/attempts/auto_choice.1.txt
inline int current_device() {
  static const bool is_only_one = [] {
    int count = 0;
    check(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
    return count == 1;
  }();
  int device = 0;
  if (!is_only_one) check(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

/// The facts of a device that a choice depends on.
inline GpuFacts facts_of(int device) {
  cudaDeviceProp all{};
  check(cudaGetDeviceProperties(&all, device), "cudaGetDeviceProperties");
  return {.name = all.name,
          .sms = all.multiProcessorCount,
          .shared_bytes_per_block = all.sharedMemPerBlockOptin,
          .shared_bytes_per_sm = all.sharedMemPerMultiprocessor,
          .clusters = all.major >= 9};
}

/// Empty without a usable GPU.
inline std::optional<GpuFacts> this_gpu() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    (void)cudaGetLastError();
    return std::nullopt;
  }
  return count > 0 ? std::optional(facts_of(0)) : std::nullopt;
}

/// The current device's.
template <bool kStable>
const ChoiceTable& choice_table() {
  const int device = current_device();
  return choice_tables<kStable>.of(device, [device] {
    const GpuFacts gpu = facts_of(device);
    const Choices choices = gpu_choices(gpu, gpu_tuning_in_use()).choices;
    return new ChoiceTable([&](KeyType type, std::size_t value_bytes) {
      return fit_steps(choices, gpu, {bytes_of(type), value_bytes, kStable});
    });
  });
}

/// The common part of gpu/auto/auto and gpu/auto/stable.
template <bool kStable>
struct Chosen {
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return choice_table<kStable>().code_for(request).workspace_bytes(request);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    return choice_table<kStable>().code_for(job).sort(job);
  }
  /// The same for keys as bits; their kind is known when it runs.
  template <class Items>
  static ResultIn sort(KeyKind kind, const Items& data, const Items& alternate, std::size_t n,
                       std::span<std::byte> workspace, Stream stream) {
    ErasedJob job{};
    job.keys = data.keys;
    job.values = data.values;
    job.alternate_keys = alternate.keys;
    job.alternate_values = alternate.values;
    job.n = n;
    job.workspace = workspace;
    job.stream = stream;
    constexpr std::size_t kBytes = kValueBytes<typename Items::Value>;
    return choice_table<kStable>().code(kind.type, kBytes, kind.order, n).sort(job);
  }

  /// Never unavailable. But commands that plan call this first, and processes that sort do not, so
  /// it reports errors in the file of choices.
  static std::string unavailable() {
    check_gpu_tuning(&this_gpu);
    return "";
  }

  static std::string details() { return describe_gpu_choices(this_gpu(), kStable); }
};

}  // namespace sortlab::gpu
