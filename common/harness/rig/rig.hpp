// A sort that is ready to run, with its memory, inputs, clocks and checks. Each kind of jobs has its own rig
// (common/harness/kinds); measurements and tests use only this interface.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "common/contract/communicator.hpp"
#include "common/contract/device_exchange.hpp"
#include "common/harness/input/input.hpp"
#include "common/harness/measure/sample.hpp"
#include "common/harness/task.hpp"

namespace sortlab {

class Rig {
 public:
  virtual ~Rig() = default;

  /// Puts an input in place. Not timed.
  virtual void restore(const Input& input) = 0;
  /// Sorts, and writes the times into the sample.
  virtual void sort(Sample& sample) = 0;
  /// Checks the result of sort() against its input.
  virtual Verdict verdict(const Input& input) = 0;
  /// "" or the buffer whose guard zone the sort wrote.
  virtual std::string overrun() = 0;
  /// Fills all memory that holds no input with a pattern.
  virtual void poison() = 0;
  /// Evicts the data from the caches.
  virtual void flush_caches() = 0;

  /// Adds the device's sensor values just after a sort to the sample.
  virtual void read_sensors(Sample&) {}
  /// The energy that the device has used since some fixed moment; empty for the host.
  virtual std::optional<double> device_joules() const { return std::nullopt; }

  /// Bytes beyond the data itself that the harness provides: alternate buffer and workspace.
  virtual std::size_t provided_bytes() const = 0;

  /// What all processes that sort together go by, if this one would say `own`.
  virtual bool agreed(bool own) { return own; }
};

/// How a task is set up.
struct Setup {
  std::size_t misalign = 0;  // elements by which keys and values start off alignment
  // For one of several parts:
  int versions = 1;  // of the input, of which the part makes its own share
  Communicator* parts = nullptr;
  DeviceExchange* on_device = nullptr;
};

/// Sets up a task. Throws std::bad_alloc without memory.
std::unique_ptr<Rig> make_rig(const Task& task, const Setup& setup);
std::unique_ptr<Rig> make_rig(const Task& task, std::size_t misalign = 0);

/// "" or the fault of a sort: it wrote outside of its buffers, or its result is wrong.
std::string fault_of(Rig& rig, const Verdict& verdict);

/// Why a task can't run now for lack of memory, if its inputs will need another `input_bytes`; ""
/// when it can.
std::string lacks_memory(const Task& task, std::size_t input_bytes);

/// The same for `needed` bytes on the host, and what it takes to flush the caches for a task.
std::string lacks_host_memory(const Task& task, std::size_t needed);
std::string lacks_host_memory(std::size_t needed);

}  // namespace sortlab
