// Other influences on a measurement: the load of other programs, and this process's share of the
// machine.
#pragma once

#include <optional>
#include <string>

namespace sortlab {

struct Surroundings {
  /// The system's load average over the last minute: threads that ran or waited for a CPU. The
  /// samples before this one are part of it. The kernel renews it every 5 seconds.
  std::optional<double> load_1min;
  /// The CPU time that the control group (cgroup) of this process allows, in CPUs; may be a
  /// fraction. Empty without a limit.
  std::optional<double> cpu_quota;
  /// The CPUs that this thread may run on, as Linux writes them: "0-3,8".
  std::string cpu_list;
};

/// Of the calling thread, now.
Surroundings surroundings();

}  // namespace sortlab
