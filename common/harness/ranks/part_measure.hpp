// Measuring and checking a sort over several parts: what measure() and check_sort() are for one memory. All
// parts call them with the same task, and part 0 decides when it is enough.
#pragma once

#include "common/contract/communicator.hpp"
#include "common/contract/device_exchange.hpp"
#include "common/harness/measure/measure.hpp"

namespace sortlab {

/// Takes samples until the stop rule is met. Part 0 hands each to `sink`. Returns the same on all parts. A
/// part that can't be set up ends the task on all of them. What the sort itself throws comes out here, and
/// the other parts may then wait for this one for ever. Sorts on GPUs need `on_device`.
Outcome measure_parts(const Task& task, Communicator& parts, const StopSettings& stop,
                      const SampleSink& sink, DeviceExchange* on_device = nullptr);

/// Sorts once, in memory that is fresh and poisoned, without clocks.
Outcome check_parts(const Task& task, Communicator& parts, DeviceExchange* on_device = nullptr);

/// Throws Trouble on all parts if one of them has an outcome that is not ok.
void throw_trouble(Communicator& parts, const Outcome& own);

/// The first outcome among those of all parts that is not ok; the same on all parts.
Outcome first_trouble(Communicator& parts, const Outcome& own);

}  // namespace sortlab
