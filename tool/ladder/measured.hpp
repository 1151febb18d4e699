// Measures the rungs of a ladder on this machine, within seconds.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace sortlab {

struct MeasuredRung {
  std::size_t n = 0;
  double median_ns = 0;     // 0: not measured, for `reason`
  double relative_iqr = 0;  // spread of the samples: interquartile range by median
  int threads = 0;          // 0 for a GPU
  std::string device;
  std::string reason;
  bool failed = false;  // it sorted wrongly, crashed or took too long
};

/// The figures of a ladder's rungs by id, for the rungs in this program: n uniform u32 keys, hot
/// caches, all threads. Every result is verified. Rungs that were not measured before Ctrl-C are
/// left out.
std::map<std::string, MeasuredRung> measure_rungs(std::string_view ladder, std::size_t n);

}  // namespace sortlab
