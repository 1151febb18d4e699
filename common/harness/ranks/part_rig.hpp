// One part of a sort over several parts, set up to run: its memory, its inputs, its clocks, its checks. As
// a Rig (common/harness/rig/rig.hpp) is for sorts in one memory. All parts call everything in step.
#pragma once

#include <memory>

#include "common/contract/parts.hpp"
#include "common/harness/measure/sample.hpp"
#include "common/harness/ranks/metered.hpp"
#include "common/harness/ranks/part_memory.hpp"

namespace sortlab {

class PartRig {
 public:
  /// Allocates two buffers and the workspace between red zones, and makes this part of the inputs: as many
  /// versions as versions_of() says, or the first one alone. `task`, `parts` and `on_device`, which only sorts
  /// on GPUs need, must outlive the rig. Throws std::bad_alloc without memory.
  PartRig(const Task& task, Communicator& parts, int versions, DeviceExchange* on_device = nullptr);

  /// Lends the alternate buffers of all parts to each of them, if the sort asks for it and all are on one
  /// host. To be called once, when all parts have a rig.
  void share_alternates();
  /// Puts version rep mod versions of the input in place. Not timed.
  void restore(int rep);
  void flush_caches() { memory_->flush_caches(); }
  /// Sorts, from a barrier to the end of the last part, and writes what the clocks say into the sample: the
  /// same on all parts.
  void sort(Sample& sample);
  /// Judges what sort() left, all parts together, and writes that into the sample: the verdict, the
  /// imbalance and, if it failed, why.
  void judge(Sample& sample);

  std::size_t provided_bytes() const { return part_.provided_bytes(); }

 private:
  const Task& task_;
  PartOfTask part_;
  MeteredCommunicator parts_;
  std::size_t versions_;
  std::size_t version_ = 0;
  std::unique_ptr<PartMemory> memory_;
  ErasedPartJob job_;
  PartResult result_{ResultIn::data, 0};
};

}  // namespace sortlab
