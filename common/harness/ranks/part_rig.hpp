// One part of a sort over several parts, set up to run: its memory, its inputs, its clocks, its checks. As
// a Rig (common/harness/rig/rig.hpp) is for sorts in one memory. All parts call everything in step.
#pragma once

#include <memory>
#include <vector>

#include "common/contract/parts.hpp"
#include "common/harness/input/input.hpp"
#include "common/harness/measure/sample.hpp"
#include "common/harness/ranks/metered.hpp"
#include "common/harness/ranks/peer_buffers.hpp"
#include "common/harness/task.hpp"

namespace sortlab {

/// What one part takes of a task: its share of the input, and what its sort needs.
class PartOfTask {
 public:
  PartOfTask(const Task& task, Communicator& parts);

  Slice slice() const;
  const PartNeeds& needs() const { return needs_; }
  /// Of the two buffers and the workspace.
  std::size_t provided_bytes() const;
  /// Of those, and of `versions` inputs.
  std::size_t bytes_needed(int versions) const;

 private:
  std::size_t item_bytes_;
  PartRequest request_;
  PartNeeds needs_;
};

class PartRig {
 public:
  /// Allocates two buffers and the workspace between red zones, and makes this part of the inputs: as many
  /// versions as versions_of() says, or the first one alone. `task` and `parts` must outlive the rig.
  /// Throws std::bad_alloc without memory.
  PartRig(const Task& task, Communicator& parts, int versions);

  /// Lends the alternate buffers of all parts to each of them, if the sort asks for it and all are on one
  /// host. To be called once, when all parts have a rig.
  void share_alternates();
  /// Puts version rep mod versions of the input in place. Not timed.
  void restore(int rep);
  /// Sorts, from a barrier to the end of the last part, and writes what the clocks say into the sample: the
  /// same on all parts.
  void sort(Sample& sample);
  /// Judges what sort() left, all parts together, and writes that into the sample: the verdict, the
  /// imbalance and, if it failed, why.
  void judge(Sample& sample);

  std::size_t provided_bytes() const { return part_.provided_bytes(); }

 private:
  /// 0, or the number of the buffer that the sort wrote beside.
  std::size_t overrun() const;

  const Task& task_;
  PartOfTask part_;
  MeteredCommunicator parts_;
  std::vector<Input> inputs_;
  std::size_t version_ = 0;
  GuardedBuffer keys_, values_, alternate_keys_, alternate_values_, workspace_;
  PeerBuffers peers_keys_, peers_values_;
  std::vector<ErasedAlternate> alternates_;
  ErasedPartJob job_;
  PartResult result_{ResultIn::data, 0};
};

}  // namespace sortlab
