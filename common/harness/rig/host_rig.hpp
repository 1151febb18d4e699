// The rig of a sort of one array on the host, and the base of those of other kinds of jobs whose items lie so.
#pragma once

#include "common/contract/variant.hpp"
#include "common/harness/rig/buffers.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab {

class HostRig : public Rig {
 public:
  /// Allocates data, alternate buffer and workspace between guard zones.
  explicit HostRig(const Task& task, std::size_t misalign = 0)
      : HostRig(task, misalign, task.workspace_bytes()) {}

  void restore(const Input& input) override;
  void sort(Sample& sample) override;
  Verdict verdict(const Input& input) override;
  std::string overrun() override;
  void poison() override;
  void flush_caches() override { sortlab::flush_caches(); }
  std::size_t provided_bytes() const override;

  /// The keys that sort() left.
  std::span<const std::byte> result_keys() const;

 protected:
  HostRig(const Task& task, std::size_t misalign, std::size_t workspace_bytes);

  const Task& task() const { return task_; }
  const HostBuffers& buffers() const { return buffers_; }
  ResultIn landed() const { return landed_; }
  const ErasedJob& job() const { return job_; }
  /// Sorts this job, of the task's kind, in place of job().
  void sorts(const void* job) { sorted_job_ = job; }

 private:
  Task task_;
  std::int64_t alloc_ns_ = 0;  // for all buffers, first touch included
  HostBuffers buffers_;
  ErasedJob job_{};
  const void* sorted_job_ = &job_;
  std::unique_ptr<SortState> state_;  // made by the first sort
  ResultIn landed_ = ResultIn::data;
  bool poisoned_ = true;  // as the buffers are when they are made
};

}  // namespace sortlab
