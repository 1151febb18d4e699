// A sort that is another variant's: which one is chosen when n and the types are known.
#pragma once

#include <cuda_runtime.h>

#include <map>
#include <mutex>

#include "common/tune/gpu_choice.hpp"
#include "gpu/primitives/launch.cuh"

namespace sortlab::gpu {

/// A GPU, and what is chosen on it.
struct Chooser {
  GpuFacts gpu;
  GpuChoices known;

  const Variant& rung(Widths widths, std::size_t n) const {
    return choose_gpu_rung(known.choices, gpu, widths, n);
  }
};

inline GpuFacts facts_of(int device) {
  cudaDeviceProp all{};
  check(cudaGetDeviceProperties(&all, device), "cudaGetDeviceProperties");
  return {all.name, all.multiProcessorCount, all.sharedMemPerBlockOptin,
          all.sharedMemPerMultiprocessor, all.major >= 9};
}

/// The current device's. Its properties and the file of choices are looked at once a device.
inline const Chooser& chooser() {
  static std::mutex mutex;
  static std::map<int, Chooser> choosers;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  if (const auto known = choosers.find(device); known != choosers.end()) return known->second;
  const GpuFacts gpu = facts_of(device);
  return choosers[device] = {gpu, gpu_choices(gpu, gpu_tuning_in_use())};
}

/// What `rung` needs, as its own registration says.
inline std::size_t workspace_bytes_of(const Variant& rung, const WorkspaceRequest& request) {
  const Params params(rung.info.params);
  return rung.workspace_bytes(
      {request.n, request.key_bytes, request.value_bytes, request.threads, params});
}

/// Sorts by the code that `rung` has registered.
template <class Job>
ResultIn sort_by(const Variant& rung, const Job& job) {
  const Params params(rung.info.params);
  const Instance* const instance = rung.instance(key_type_of<typename Job::Key>(),
                                                 kValueBytes<typename Job::Value>, Job::kOrder);
  const ErasedJob erased{instance,
                         job.data.keys,
                         job.data.values,
                         job.alternate.keys,
                         job.alternate.values,
                         job.n,
                         job.workspace,
                         job.threads,
                         job.isa,
                         job.stream,
                         &params};
  return instance->sort(erased);
}

/// What gpu/auto/auto and gpu/auto/stable share.
template <bool kStable>
struct Chosen {
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const Widths widths{request.key_bytes, request.value_bytes, kStable};
    return workspace_bytes_of(chooser().rung(widths, request.n), request);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    const Widths widths{sizeof(typename Job::Key), kValueBytes<typename Job::Value>, kStable};
    return sort_by(chooser().rung(widths, job.n), job);
  }

  /// Never, but commands that plan ask here first, and processes that sort do not: the place to say
  /// what is wrong with the file of choices.
  static std::string unavailable() {
    check_tune_file();
    return "";
  }

  static std::string details() { return describe_gpu_choices(kStable); }
};

}  // namespace sortlab::gpu
