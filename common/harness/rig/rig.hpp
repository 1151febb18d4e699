// A sort set up to run: its memory, its inputs, its clocks, its checks. One kind for the host, one
// for the GPU; measuring and testing know only this.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "common/harness/input/input.hpp"
#include "common/harness/measure/sample.hpp"
#include "common/harness/task.hpp"

namespace sortlab {

class Rig {
 public:
  virtual ~Rig() = default;

  /// Puts an input in place. Not timed.
  virtual void restore(const Input& input) = 0;
  /// Sorts, and writes what the clocks say into the sample.
  virtual void sort(Sample& sample) = 0;
  /// Judges what sort() left, against the input that it began with.
  virtual Verdict verdict(const Input& input) = 0;
  /// "" or which buffer the sort wrote beside.
  virtual std::string overrun() = 0;
  /// Fills all memory that holds no input with a pattern.
  virtual void poison() = 0;
  /// Leaves nothing of the data in caches.
  virtual void flush_caches() = 0;

  /// Adds to the sample what the device's sensors say just after a sort.
  virtual void read_sensors(Sample&) {}
  /// The energy that the device has used since some fixed moment; empty for the host.
  virtual std::optional<double> device_joules() const { return std::nullopt; }

  /// Bytes beyond the data itself that the harness provides: alternate buffer and workspace.
  virtual std::size_t provided_bytes() const = 0;
};

/// Sets up a task; keys and values start `misalign` elements off alignment. Throws std::bad_alloc
/// without memory.
std::unique_ptr<Rig> make_rig(const Task& task, std::size_t misalign = 0);

/// "" or what is wrong with a sort of the rig: memory written beside its buffers, or a wrong result.
std::string fault_of(Rig& rig, const Verdict& verdict);

/// Why a task can't run now for lack of memory, when its inputs are yet to take `input_bytes`; "" when
/// it can.
std::string lacks_memory(const Task& task, std::size_t input_bytes);

}  // namespace sortlab
