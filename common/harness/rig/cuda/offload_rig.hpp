// The rig of a sort of host data with the help of GPUs (common/contract/offload.hpp). It has the data in host memory; for
// each GPU, memory within the configuration's cap and three streams; and guard zones around all of it.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <vector>

#include "common/contract/offload.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/rig/cuda/host_memory.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/harness/rig/workspace.hpp"

namespace sortlab::device {

/// Host memory between guard zones, which all GPUs can access if it is pinned.
class GuardedHostMemory {
 public:
  GuardedHostMemory() = default;
  GuardedHostMemory(std::size_t bytes, std::size_t misalign, bool pinned);
  ~GuardedHostMemory();
  GuardedHostMemory(const GuardedHostMemory&) = delete;
  GuardedHostMemory(GuardedHostMemory&& other) noexcept { *this = std::move(other); }
  GuardedHostMemory& operator=(GuardedHostMemory&& other) noexcept;

  const GuardedBuffer& buffer() const { return buffer_; }

 private:
  GuardedBuffer buffer_;
  bool pinned_ = false;
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
  GuardedHostMemory keys_, values_, alternate_keys_, alternate_values_;
  GuardedBuffer workspace_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
  std::vector<OffloadGpu> job_gpus_;
  ErasedOffloadJob job_{};
  ResultIn landed_ = ResultIn::data;
};

/// What a sort of host data needs with the device memory that it may take now.
OffloadNeeds offload_needs(const Task& task);

}  // namespace sortlab::device
