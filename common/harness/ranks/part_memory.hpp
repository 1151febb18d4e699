// What a part of a sort over ranks holds: buffers between guard zones, its inputs, and the checks on them. In the
// memory of the host (part_on_host.cpp), or of the part's GPU (common/harness/rig/cuda/part_on_gpu.hpp).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "common/contract/parts.hpp"
#include "common/harness/ranks/metered.hpp"
#include "common/harness/ranks/part_of_task.hpp"
#include "common/harness/verify/verify.hpp"

namespace sortlab {

class PartMemory {
 public:
  virtual ~PartMemory() = default;

  /// Points the job at what is held here.
  virtual void attach(ErasedPartJob& job) = 0;
  /// Shares the alternate buffers of all parts with the job, if they can be had. All parts call it, once each of them
  /// has its memory.
  virtual void share_alternates(Communicator&, ErasedPartJob&) {}

  /// Puts a version of the input in place.
  virtual void restore(std::size_t version) = 0;
  virtual void flush_caches() = 0;

  /// Stand before and after a sort, which is done when end() returns. end() returns the time between them by the
  /// GPU's clock, if there is one.
  virtual void begin() {}
  virtual std::optional<std::int64_t> end() { return {}; }
  /// What went past the communicator since the last call.
  virtual Exchanged take_exchanged() { return {}; }

  virtual const Fingerprint& fingerprint_of(std::size_t version) const = 0;
  /// Looks at what a sort left.
  virtual Findings look(const PartResult& result) = 0;
  /// The number of the buffer that was written beside (kBufferNames), or -1.
  virtual int overrun() = 0;
  /// Fills all memory that holds no input with a pattern.
  virtual void poison() = 0;
};

/// `versions` inputs, and all that the part needs, in host memory. Throws std::bad_alloc.
std::unique_ptr<PartMemory> make_part_on_host(const Task& task, const PartOfTask& part,
                                              int versions);

}  // namespace sortlab
