// The one measuring loop, which every command that measures uses.
#pragma once

#include <cstddef>
#include <vector>

#include "common/harness/plan/plan.hpp"
#include "common/harness/record/record.hpp"
#include "common/harness/worker/measurer.hpp"

namespace sortlab {

/// Measures the configurations one after the other, each under its load, and records every sample.
/// A configuration that is not to be run gets a row with the reason. in_rounds() may repeat a
/// configuration: its samples have consecutive numbers, and after a failure it is not measured
/// again. A sort that is slow at smaller n (SlowSorts; above `slow_s` seconds, 0: none is) gets a row with that
/// reason. Failures and timeouts also go to stderr at once. Ends early once interrupted(). Returns
/// how many configurations failed or ran out of time.
std::size_t measure_all(const std::vector<Planned>& planned, Measurer& measurer, Recorder& recorder,
                        double slow_s = 0);

/// The configurations that the recorder lacks: of in_rounds()'s copies, those without a recorded
/// block.
std::vector<Planned> missing_from(const Recorder& recorder, const std::vector<Planned>& planned);

struct Measured {
  CsvTable table;
  std::size_t failures = 0;
};

/// The same in a worker process, with at most `timeout_s` seconds per configuration. The rows are
/// kept in memory or in a CSV, which is resumed.
Measured measure_all(const std::vector<Config>& configs, const StopSettings& stop, double timeout_s,
                     const std::string& csv = "");

}  // namespace sortlab
