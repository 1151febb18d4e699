// Measures and checks sorts, in this process or, with a WorkerProcess, in another one.
#pragma once

#include <functional>

#include "common/harness/measure/measure.hpp"
#include "common/harness/verify/check.hpp"

namespace sortlab {

/// Measures tasks for the engine, and checks them for `sortlab verify`.
class Measurer {
 public:
  virtual ~Measurer() = default;
  virtual Outcome measure(const Task& task, const SampleSink& sink) = 0;
  /// Sorts once, without clocks.
  virtual Outcome check(const Task& task) = 0;

  /// Sets a function to call from time to time while a worker process measures or checks. By
  /// default there is none. While this process itself sorts, nothing is called.
  virtual void while_waiting(std::function<void()>) {}
};

/// Measures in this process, for debuggers and profilers.
class InProcessMeasurer : public Measurer {
 public:
  explicit InProcessMeasurer(StopSettings stop) : stop_(stop) {}
  Outcome measure(const Task& task, const SampleSink& sink) override {
    return sortlab::measure(task, stop_, inputs_, sink);
  }
  Outcome check(const Task& task) override {
    return outcome_of([&]() -> Outcome {
      const std::string reason = lacks_memory(task, task.input_bytes());
      if (!reason.empty()) return {Status::skipped, reason};
      const std::string fault = check_sort(task);
      return fault.empty() ? Outcome{} : Outcome{Status::failed, fault};
    });
  }

 private:
  StopSettings stop_;
  InputPool inputs_;
};

}  // namespace sortlab
