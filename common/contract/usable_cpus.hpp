// The CPUs that this process may use. In a container they are fewer than the machine has.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace sortlab {

/// The number of threads that can run at a time: the smaller of the CPUs in allowed_cpus() and the
/// control group's quota, rounded up. It is read once; later changes have no effect.
int usable_cpus();

/// The numbers of the CPUs that the calling thread may run on (its affinity mask), ascending.
std::vector<int> allowed_cpus();

/// The CPU time that the control groups of this process allow, in CPUs: the smallest quota up to
/// the root. It may be a fraction. Empty without a limit. `root` holds proc/ and sys/.
std::optional<double> cpu_quota(const std::filesystem::path& root = "/");

}  // namespace sortlab
