// Measures one task: takes samples until the stop rule is met.
#pragma once

#include <functional>
#include <stdexcept>

#include "common/harness/input/input.hpp"
#include "common/harness/measure/sample.hpp"
#include "common/harness/measure/statistics.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/harness/task.hpp"

namespace sortlab {

using SampleSink = std::function<void(const Sample&)>;

/// Takes the samples of `task` and hands each to `sink` as soon as it is verified. A sort with a
/// wrong result, or one that writes outside of its memory, ends its configuration as failed. A sort
/// that would not fit into memory is skipped.
Outcome measure(const Task& task, const StopSettings& stop, InputPool& inputs,
                const SampleSink& sink);

/// The same, set up so and with these inputs, once there is memory for it. Throws what the sort throws.
Outcome take_samples(const Task& task, const Setup& setup, const StopSettings& stop,
                     const InputPool& inputs, const SampleSink& sink);

/// An outcome on the way out of a task's work.
struct Trouble : std::runtime_error {
  explicit Trouble(const Outcome& of_task) : std::runtime_error(of_task.reason), outcome(of_task) {}
  Outcome outcome;
};

/// The result of `work`, or the outcome for the exception that it threw.
Outcome outcome_of(const std::function<Outcome()>& work);

}  // namespace sortlab
