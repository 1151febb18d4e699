// Measures one task: takes samples until the stop rule is met.
#pragma once

#include <functional>

#include "common/harness/input/input.hpp"
#include "common/harness/measure/sample.hpp"
#include "common/harness/measure/statistics.hpp"
#include "common/harness/task.hpp"

namespace sortlab {

using SampleSink = std::function<void(const Sample&)>;

/// Takes the samples of `task` and hands each to `sink` as soon as it is verified. A sort with a
/// wrong result, or one that writes outside of its memory, ends its configuration as failed. A sort
/// that would not fit into memory is skipped.
Outcome measure(const Task& task, const StopSettings& stop, InputPool& inputs,
                const SampleSink& sink);

/// The result of `work`, or the outcome for the exception that it threw.
Outcome outcome_of(const std::function<Outcome()>& work);

}  // namespace sortlab
