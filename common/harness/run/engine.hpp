// The engine of `sortlab run`: measures the configurations of a plan and writes the files.
#pragma once

#include <string>
#include <vector>

#include "common/harness/measure/statistics.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/record/summary.hpp"

namespace sortlab {

struct RunSettings {
  StopSettings stop;
  int rounds = 1;          // see in_rounds()
  double slow_s = 0;       // larger n of a slower sort are skipped, see SlowSorts; 0: none
  double timeout_s = 120;  // of one configuration
  bool in_process = false;
  bool again = false;                  // also measures configurations that the CSV has
  std::string csv;                     // "" for none, "-" for stdout
  std::vector<std::string> arguments;  // the command line, for run.json
};

/// The exit code if every configuration of a plan was skipped. It is not 0, so that a CI gate does
/// not pass.
inline constexpr int kAllSkipped = 3;

struct RunResult {
  int exit_code =
      0;  // 1 when a configuration failed or ran out of time, kAllSkipped, 130 after Ctrl-C
  std::vector<SummaryRow> rows;  // of all that the CSV holds
  std::string why_nothing;       // was measured; "" if something was
};

/// Measures the configurations of the plan that are not in the CSV yet. Writes the CSV,
/// FILE.summary.csv and FILE.run.json.
RunResult run_plan(const std::vector<Planned>& planned, const RunSettings& settings);

}  // namespace sortlab
