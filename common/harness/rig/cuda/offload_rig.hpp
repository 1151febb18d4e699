// The rig of a sort of host data with the help of GPUs (common/contract/offload.hpp). It has the data in host memory; for
// each GPU, memory within the configuration's cap and three streams; and guard zones around all of it.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/contract/offload.hpp"
#include "common/harness/rig/buffers.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/rig/cuda/host_memory.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab::device {

/// Makes host memory accessible to all GPUs as long as it exists.
class Pinned {
 public:
  explicit Pinned(const GuardedBuffer& buffer);
  ~Pinned();
  Pinned(Pinned&& other) noexcept : pages_(std::exchange(other.pages_, nullptr)) {}

 private:
  void* pages_ = nullptr;
};

class OffloadRig : public Rig {
 public:
  explicit OffloadRig(const Task& task, std::size_t misalign = 0);

  void restore(const Input& input) override;
  void sort(Sample& sample) override;
  Verdict verdict(const Input& input) override;
  std::string overrun() override;
  void poison() override;
  void flush_caches() override { sortlab::flush_caches(); }
  void read_sensors(Sample& sample) override;
  std::optional<double> device_joules() const override;
  std::size_t provided_bytes() const override;

 private:
  /// What the sort has of one GPU, which must be the current one when it is made.
  struct Gpu {
    explicit Gpu(const OffloadNeeds& needs)
        : pinned_memory(needs.pinned_bytes, true), memory(needs.device_bytes) {}

    OwnedStream in, work, out;
    HostMemory pinned_memory;
    DeviceBuffer memory;
    RedZoneCheck red_zones;
  };

  void allocate(std::size_t misalign);
  void allocate_on_gpus();
  /// Calls f(gpu) for each of them, while it is the current one.
  template <class F>
  void for_each_gpu(F f);

  Task task_;
  Devices devices_;
  OffloadNeeds needs_;
  std::int64_t alloc_ns_ = 0;  // for all but the data itself
  HostBuffers buffers_;
  std::vector<Pinned> pinned_;  // data and alternate, if the configuration says so
  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::vector<OffloadGpu> job_gpus_;
  ErasedOffloadJob job_{};
  ResultIn landed_ = ResultIn::data;
};

}  // namespace sortlab::device
