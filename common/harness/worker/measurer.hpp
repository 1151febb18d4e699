// Measuring and checking, in this process or, as a WorkerProcess does, in another.
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

  /// What to do from time to time while a worker process measures or checks; nothing at first. In this
  /// process nothing is done beside a sort.
  virtual void while_waiting(std::function<void()>) {}
};

/// Measures here: for debuggers and profilers.
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
