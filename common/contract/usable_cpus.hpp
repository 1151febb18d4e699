// The CPUs that this process may use. In a container they are fewer than the machine has.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace sortlab {

/// So many threads can run at a time: the smaller of the CPUs in allowed_cpus() and the quota of the
/// control group, rounded up. Read once: what a user changes later does not count.
int usable_cpus();

/// The numbers of the CPUs that the calling thread may run on (its affinity mask), ascending.
std::vector<int> allowed_cpus();

/// CPUs' worth of time that the control groups of this process allow: the smallest quota on the way
/// up to the root. May be a fraction. Empty without a limit. `root` holds proc/ and sys/.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace sortlab
