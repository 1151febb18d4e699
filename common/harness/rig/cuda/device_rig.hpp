// The rig of a device sort. It has device memory between guard zones, its own stream and clocks,
// and optional copies from and to the host. It runs the sort as launches on the stream or as a
// replayed graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/contract/host_work.hpp"
#include "common/harness/rig/buffers.hpp"
#include "common/harness/rig/cuda/device_buffer.hpp"
#include "common/harness/rig/cuda/device_verify.hpp"
#include "common/harness/rig/cuda/handles.hpp"
#include "common/harness/rig/cuda/host_memory.hpp"
#include "common/harness/rig/cuda/staged_copy.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab::device {

int current_device();

/// device_is_broken() looks at this GPU, too.
void use_device(int device);

class DeviceRig : public Rig {
 public:
  explicit DeviceRig(const Task& task, std::size_t misalign = 0);
  ~DeviceRig() override;

  void restore(const Input& input) override;
  void sort(Sample& sample) override;
  Verdict verdict(const Input& input) override;
  std::string overrun() override;
  void poison() override;
  void flush_caches() override;
  void read_sensors(Sample& sample) override;
  std::optional<double> device_joules() const override;
  std::size_t provided_bytes() const override;

 protected:
  /// The base of rigs of other kinds of jobs: they call sorts() when theirs is complete.
  DeviceRig(const Task& task, std::size_t misalign, std::size_t workspace_bytes);
  /// Sorts this job, of the task's kind: job(), or one that holds it.
  void sorts(const void* job);

  const Task& task() const { return task_; }
  const Buffers<DeviceBuffer>& buffers() const { return buffers_; }
  ResultIn landed() const { return landed_; }
  const ErasedJob& job() const { return job_; }
  cudaStream_t stream() const { return stream_; }

 private:
  void allocate(std::size_t misalign, std::size_t workspace_bytes);
  void capture();
  void run();
  void copy_to_device();
  void copy_to_host();

  Task task_;
  bool from_host_;             // host_mem is not none
  std::int64_t alloc_ns_ = 0;  // for pinned buffers and all device memory but a resident input's

  OwnedStream stream_;
  Event copies_begin_, sort_begin_, sort_end_, copies_end_;
  Buffers<DeviceBuffer> buffers_;
  CacheFlush caches_;
  HostMemory host_keys_, host_values_;
  std::optional<StagedCopy> staged_;  // host_mem is staged, and there is enough to stage
  RedZoneCheck red_zones_;
  DeviceVerifier verifier_;
  HostClock host_clock_;  // of the sort at work
  ErasedJob job_{};
  const void* sorted_job_ = nullptr;
  std::unique_ptr<SortState> state_;
  ResultIn landed_ = ResultIn::data;

  cudaGraphExec_t graph_ = nullptr;  // of --launch graph
  std::int64_t kernels_in_graph_ = 0;
};

}  // namespace sortlab::device
