// What else bears on a measurement: other load, and the share of the machine that this process has.
#pragma once

#include <optional>
#include <string>

namespace sortlab {

struct Surroundings {
  /// The system's load average over the last minute: threads that ran or waited for a CPU. The
  /// samples before this one are part of it. The kernel renews it every 5 seconds.
  std::optional<double> load_1min;
  /// CPUs' worth of time that the control group (cgroup) of this process may use; may be a
  /// fraction. Empty without a limit.
  std::optional<double> cpu_quota;
  /// The CPUs that this thread may run on, as Linux writes them: "0-3,8".
  std::string cpu_list;
};

/// Of the calling thread, now.
Surroundings surroundings();

}  // namespace sortlab
