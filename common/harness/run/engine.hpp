// Running a plan: Google Benchmark goes through the configurations, our clocks measure them.
#pragma once

#include <string>
#include <vector>

#include "common/harness/measure/statistics.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/record/record.hpp"

namespace sortlab {

struct RunSettings {
  StopSettings stop;
  int rounds = 1;          // see in_rounds()
  double timeout_s = 120;  // of one configuration
  bool in_process = false;
  bool print_table = true;
  std::string csv;                           // "" for none, "-" for stdout
  std::vector<std::string> arguments;        // the command line, for run.json
  std::vector<std::string> benchmark_flags;  // --benchmark_...
};

/// Measures what the plan says and the CSV does not hold yet; writes the CSV, FILE.summary.csv and
/// FILE.run.json, and prints a table if asked. Returns the exit code: 0, 1 when a configuration failed or
/// ran out of time, 130 after Ctrl-C.
int run_plan(const std::vector<Planned>& planned, const RunSettings& settings);

/// Measures the configurations one after the other, each with at most `timeout_s` seconds, and keeps
/// the rows; those so far after Ctrl-C. One may be there several times, as in_rounds() makes them.
CsvTable measure_all(const std::vector<Config>& configs, const StopSettings& stop,
                     double timeout_s);

/// "20261121T063049Z-3ef387": when, and a random number.
std::string new_run_id();

/// "bench.csv" -> "bench.summary.csv" for ".summary.csv"; the same for "bench.csv.xz".
std::string beside(const std::string& csv, const std::string& ending);

}  // namespace sortlab
