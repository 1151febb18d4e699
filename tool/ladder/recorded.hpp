// Measurements of the ladders' rungs on other machines, from recorded.csv, which
// plots/ladder_records.py writes from results/.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sortlab {

struct RecordedGain {
  std::size_t n = 0;
  double times = 0;       // as fast as the rung before
  std::string revisions;  // of both medians: one, or two with a space between
};

struct Profile {
  std::size_t n = 0;
  double launches = 0;       // of kernels, per sort
  std::string busiest;       // the kernel that takes the longest
  double busiest_share = 0;  // of the kernels' time
};

/// A rung on a machine: uniform u32 keys alone, hot caches.
struct RecordedRung {
  std::string variant;
  std::string machine;  // the folder of results/
  std::string device;
  int threads = 0;  // 0 for a GPU
  std::size_t n = 0;
  double median_ns = 0;
  std::string revision;
  std::optional<RecordedGain> gain;
  std::optional<Profile> profile;
};

/// The rungs of a ladder on the machine that most of them were measured on; of several such machines, the
/// one with the most threads. Rungs that were not measured there come last, from other machines.
std::vector<RecordedRung> recorded_rungs(std::string_view ladder);

}  // namespace sortlab
