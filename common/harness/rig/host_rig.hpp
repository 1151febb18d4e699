// The rig of a host sort.
#pragma once

#include "common/contract/variant.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/harness/rig/workspace.hpp"

namespace sortlab {

class HostRig : public Rig {
 public:
  /// Allocates data, alternate buffer and workspace between guard zones.
  explicit HostRig(const Task& task, std::size_t misalign = 0);

  void restore(const Input& input) override;
  void sort(Sample& sample) override;
  Verdict verdict(const Input& input) override;
  std::string overrun() override;
  void poison() override;
  void flush_caches() override { sortlab::flush_caches(); }
  std::size_t provided_bytes() const override;

  /// The keys that sort() left.
  std::span<const std::byte> result_keys() const;

 private:
  Task task_;
  std::int64_t alloc_ns_ = 0;  // for all buffers, first touch included
  GuardedBuffer keys_, values_, alternate_keys_, alternate_values_, workspace_;
  ErasedJob job_{};
  std::unique_ptr<SortState> state_;  // made by the first sort
  ResultIn landed_ = ResultIn::data;
  bool poisoned_ = true;  // as the buffers are when they are made
};

}  // namespace sortlab
