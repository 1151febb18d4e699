// Splits a sort's time on the device into its kernels and copies, by name.
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

/// One kernel, copy or fill on a GPU, in nanoseconds of one clock for all GPUs. Copies are of the GPU that sends.
struct Span {
  std::uint32_t device = 0;
  std::string name;
  std::uint64_t start = 0;
  std::uint64_t end = 0;
};

/// What a sort recorded.
struct Recording {
  std::vector<Activity> activities;  // the longest first
  std::vector<Span> spans;
};

/// What each GPU did when: a line for spans of one name that follow each other on a GPU, in microseconds from the first one's
/// start; `busy` is less than the line's length where they leave gaps, more where they overlap.
std::string timeline_text(std::vector<Span> spans);

/// "" or, in one line, why activities can't be recorded.
std::string recording_unavailable();

/// Runs `work` and returns the device's activities during it. The profiler changes the device's clocks, so the times differ
/// from an undisturbed sort's. Throws std::runtime_error.
Recording record_activities(const std::function<void()>& work);

/// Sorts each configuration a few times under the profiler and prints a table of its activities: time and launches per sort,
/// and share; of a sort over several GPUs also the timeline of the last sort. Also writes them to the CSV `path`, unless it
/// is empty, in place of older rows of these configurations. The timed samples use none of this. Returns the exit code, or
/// kAllSkipped when it recorded nothing. Throws BadInput when recording is unavailable, or `path` holds something else.
int run_breakdown(const std::vector<Planned>& planned, const std::string& path);

/// The same, without the table, for the configurations that the CSV does not hold yet, or `again` for all of
/// them. Returns 0 or 1.
int extend_breakdown(const std::vector<Planned>& planned, const std::string& path, bool again);

/// A row of that CSV: an activity's part in one sort.
struct ActivityRow {
  std::string name;
  double launches = 0;
  double ns = 0;
  double share = 0;           // of all activities, 0 to 1
  std::string revision = "";  // of the program that recorded it; empty where it is unknown
};
using ActivityTable = std::map<std::string, std::vector<ActivityRow>>;  // by config_id

/// The content of the CSV; empty when there is no such file. Skips an incomplete configuration of a
/// killed run. Throws BadInput for a CSV of another schema.
ActivityTable read_breakdown(const std::string& path);

}  // namespace sortlab
