// The rig of one part of a sort over ranks. All parts call everything in step, and what they get is the same on all of
// them.
#pragma once

#include <memory>
#include <optional>

#include "common/contract/communicator.hpp"
#include "common/contract/parts.hpp"
#include "common/harness/ranks/metered.hpp"
#include "common/harness/ranks/part_memory.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {

class PartRig : public Rig {
 public:
  /// Allocates two buffers and the workspace between guard zones, and makes this part of the inputs. `task` and what
  /// `setup` points at must outlive the rig. Throws Trouble on all parts when one of them can't be set up.
  PartRig(const Task& task, const Setup& setup);

  /// `input` stands for the version that its seed makes.
  void restore(const Input& input) override;
  /// Sorts, from a barrier to the end of the last part.
  void sort(Sample& sample) override;
  Verdict verdict(const Input& input) override;
  std::string overrun() override;
  void poison() override { memory_->poison(); }
  void flush_caches() override { memory_->flush_caches(); }
  std::size_t provided_bytes() const override { return provided_bytes_; }
  /// What part 0 says.
  bool agreed(bool own) override;

 private:
  std::size_t version_of(const Input& input) const {
    return static_cast<std::size_t>(input.seed - task_.config.seed);
  }

  const Task& task_;
  MeteredCommunicator parts_;
  std::unique_ptr<PartMemory> memory_;
  std::size_t provided_bytes_ = 0;  // of all parts
  ErasedPartJob job_{};
  PartResult result_{ResultIn::data, 0};
};

/// The verdict on all parts: the same on each of them, and all must call it. `before` is the fingerprint of this part's
/// input.
Verdict judged(Communicator& parts, const Findings& own, const Fingerprint& before);

}  // namespace sortlab
