// Where a sort's time goes on the device: each kernel and copy, by name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "common/harness/plan/plan.hpp"

namespace sortlab {

/// All launches of one kernel, or all copies or fills of one kind.
struct Activity {
  std::string name;
  std::int64_t launches = 0;
  std::int64_t total_ns = 0;
};

/// "" or, in one line, why activities can't be recorded.
std::string recording_unavailable();

/// Does `work` and returns what the device did meanwhile, the longest first. The device's clocks
/// are not those of an undisturbed sort. Throws std::runtime_error.
std::vector<Activity> record_activities(const std::function<void()>& work);

/// Sorts each configuration a few times under the profiler and prints a table of its activities:
/// time and launches of one sort, and share. Writes them to `path` as CSV too, unless that is
/// empty. Nothing of this feeds the timed samples. Returns the exit code, kAllSkipped
/// when it recorded none; throws BadInput when recording is unavailable.
int run_breakdown(const std::vector<Planned>& planned, const std::string& path);

/// The same, without the table, for the configurations that the CSV does not hold yet. Returns 0 or 1.
int extend_breakdown(const std::vector<Planned>& planned, const std::string& path);

/// A row of that CSV: an activity's part in one sort.
struct ActivityRow {
  std::string name;
  double launches = 0;
  double ns = 0;
  double share = 0;  // of all activities, 0 to 1
};
using ActivityTable = std::map<std::string, std::vector<ActivityRow>>;  // by config_id

/// What the CSV holds; nothing when there is no such file. A configuration that a killed run cut off
/// is left out. Throws BadInput for a CSV of another schema.
ActivityTable read_breakdown(const std::string& path);

}  // namespace sortlab
