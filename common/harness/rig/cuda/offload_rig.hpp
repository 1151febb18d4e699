// The rig of a sort of host data with a GPU's help (common/contract/offload.hpp). It has the data in host memory, device
// memory within the configuration's cap, three streams, and guard zones around all of it.
#pragma once

#include <cuda_runtime_api.h>

#include <span>

#include "common/contract/offload.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/rig/cuda/host_memory.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/harness/rig/workspace.hpp"

namespace sortlab::device {

/// Host memory between guard zones, which the GPU can access if it is pinned.
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
  void allocate(std::size_t misalign);

  Task task_;
  OffloadNeeds needs_;
  std::int64_t alloc_ns_ = 0;  // for all but the data itself
  OwnedStream in_, work_, out_;
  GuardedHostMemory keys_, values_, alternate_keys_, alternate_values_;
  GuardedBuffer workspace_;
  HostMemory pinned_memory_;
  DeviceBuffer device_;
  RedZoneCheck red_zones_;
  ErasedOffloadJob job_{};
  ResultIn landed_ = ResultIn::data;
};

/// What a sort of host data needs with the device memory that it may take now.
OffloadNeeds offload_needs(const Task& task);

}  // namespace sortlab::device
