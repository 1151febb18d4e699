// Measures and checks sorts, in this process or, with a WorkerProcess, in another one.
#pragma once

#include <functional>

#include "common/harness/measure/measure.hpp"

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
  Outcome measure(const Task& task, const SampleSink& sink) override;
  Outcome check(const Task& task) override;

 private:
  StopSettings stop_;
  InputPool inputs_;
};

}  // namespace sortlab
