// A sort that is another variant's: which one, is chosen when n and the types are known.
//
// A choice must cost nothing beside the shortest sorts, of 7 us: names, limits and the file are
// looked at once, and what is left is a list of sizes with the code for each.
#pragma once

#include <cuda_runtime.h>

#include <map>
#include <mutex>
#include <vector>

#include "common/tune/gpu_choice.hpp"
#include "gpu/primitives/launch.cuh"

namespace sortlab::gpu {

/// A rung, and from which n on it is chosen. A copy of what was registered: later registrations
/// move the variants about.
struct ChosenRung {
  std::size_t from_n;
  Variant variant;
};

/// What is chosen on one GPU, for each pair of widths.
class Chooser {
 public:
  Chooser(int device, bool stable) {
    cudaDeviceProp all{};
    check(cudaGetDeviceProperties(&all, device), "cudaGetDeviceProperties");
    const GpuFacts gpu{all.name, all.multiProcessorCount, all.sharedMemPerBlockOptin,
                       all.sharedMemPerMultiprocessor, all.major >= 9};
    const GpuChoices known = gpu_choices(gpu, gpu_tuning_in_use());
    for (const std::size_t key_bytes : {4, 8}) {
      for (const std::size_t value_bytes : {0, 4}) {
        for (const auto& step : fit_steps(known.choices, gpu, {key_bytes, value_bytes, stable})) {
          rungs_[key_bytes == 8][value_bytes != 0].push_back({step.from_n, *step.rung});
        }
      }
    }
  }

  const Variant& rung(std::size_t key_bytes, std::size_t value_bytes, std::size_t n) const {
    const auto& rungs = rungs_[key_bytes == 8][value_bytes != 0];
    std::size_t i = rungs.size() - 1;
    while (rungs[i].from_n > n) --i;
    return rungs[i].variant;
  }

 private:
  std::vector<ChosenRung> rungs_[2][2];  // by key of 8 bytes, by value; the first is from 0
};

/// The current device's.
template <bool kStable>
const Chooser& chooser() {
  static std::mutex mutex;
  static std::map<int, Chooser> choosers;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  const auto known = choosers.find(device);
  if (known != choosers.end()) return known->second;
  return choosers.emplace(device, Chooser(device, kStable)).first->second;
}

/// What gpu/auto/auto and gpu/auto/stable share.
template <bool kStable>
struct Chosen {
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const auto& rung = chooser<kStable>().rung(request.key_bytes, request.value_bytes, request.n);
    const Params params(rung.info.params);
    return rung.workspace_bytes(
        {request.n, request.key_bytes, request.value_bytes, request.threads, params});
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    constexpr std::size_t kBytes = kValueBytes<typename Job::Value>;
    const auto& rung = chooser<kStable>().rung(sizeof(Key), kBytes, job.n);
    const Params params(rung.info.params);
    const Instance* const instance = rung.instance(key_type_of<Key>(), kBytes, Job::kOrder);
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

  /// Never, but commands that plan ask here first, and processes that sort do not: the place to say
  /// what is wrong with the file of choices.
  static std::string unavailable() {
    check_tune_file();
    return "";
  }

  static std::string details() { return describe_gpu_choices(kStable); }
};

}  // namespace sortlab::gpu
