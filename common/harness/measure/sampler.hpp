// Takes samples of one task. For each it restores the input, flushes the caches if asked, starts
// the clock, sorts, stops the clock and verifies the result.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "common/harness/input/input.hpp"
#include "common/harness/machine/cpu_share.hpp"
#include "common/harness/measure/sample.hpp"
#include "common/harness/rig/counters.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab {

/// A named time range, which Nsight shows: its lifetime. `name` may be destroyed earlier. It does nothing if NVTX's header
/// is missing.
class NvtxRange {
 public:
  explicit NvtxRange(const char* name);
  ~NvtxRange();
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
};

class Sampler {
 public:
  /// Sets the task up and warms it up. Measures its energy and reads its counters if its configuration
  /// asks for them.
  /// `inputs` must hold the task's inputs; `task` and `inputs` must outlive the sampler.
  Sampler(const Task& task, const Setup& setup, const InputPool& inputs);

  /// Sample number `rep`. A faulty one has `failed` set, and the fault as its stop_reason. A sample
  /// that Ctrl-Z interrupted is discarded and taken again. So is a sample of a throttled device,
  /// which gets 0.4 s to recover before each; after too many of them, throws std::runtime_error.
  Sample take(int rep);
  bool agreed(bool own) { return rig_->agreed(own); }
  int discarded() const { return discarded_; }

  /// The time in nanoseconds from which the task's figures are computed, as in its summary.
  double figure_of(const Sample& sample) const;

 private:
  void warm_up();
  void wake_vectors(int rep);
  void recover(int rep);
  Sample restore_sort_verify(const Input& input);
  Sample attempt(int rep);

  const Task& task_;
  const InputPool& inputs_;
  std::unique_ptr<Rig> rig_;
  Surroundings around_;
  Energy energy_;
  Counters counters_;
  std::optional<std::int64_t> peak_temp_bytes_;
  bool was_short_ = false;  // the last sort
  int discarded_ = 0;
};

}  // namespace sortlab
