// A sort that is another variant's: which one, is chosen when n and the types are known.
#pragma once

#include <cuda_runtime.h>

#include "gpu/auto/choice_table.hpp"
#include "gpu/primitives/launch.cuh"

namespace sortlab::gpu {

template <bool kStable>
inline constinit PerDevice<ChoiceTable> choice_tables;

/// The current device's.
template <bool kStable>
const ChoiceTable& choice_table() {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  return choice_tables<kStable>.of(device, [device] {
    cudaDeviceProp all{};
    check(cudaGetDeviceProperties(&all, device), "cudaGetDeviceProperties");
    const GpuFacts gpu{all.name, all.multiProcessorCount, all.sharedMemPerBlockOptin,
                       all.sharedMemPerMultiprocessor, all.major >= 9};
    return new ChoiceTable(gpu_choices(gpu, gpu_tuning_in_use()).choices, gpu, kStable);
  });
}

/// What gpu/auto/auto and gpu/auto/stable share.
template <bool kStable>
struct Chosen {
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    const KeyType any_of_width = request.key_bytes == 8 ? KeyType::u64 : KeyType::u32;
    const ChosenRung& rung = *choice_table<kStable>()
                                  .code(any_of_width, request.value_bytes, Order::ascending,
                                        request.n)
                                  .rung;
    return rung.variant.workspace_bytes(
        {request.n, request.key_bytes, request.value_bytes, request.threads, rung.params});
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    const ChosenCode& code = choice_table<kStable>().code(
        key_type_of<typename Job::Key>(), kValueBytes<typename Job::Value>, Job::kOrder, job.n);
    const ErasedJob erased{code.instance,
                           job.data.keys,
                           job.data.values,
                           job.alternate.keys,
                           job.alternate.values,
                           job.n,
                           job.workspace,
                           job.threads,
                           job.isa,
                           job.stream,
                           &code.rung->params};
    return code.instance->sort(erased);
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
