#include "common/contract/usable_cpus.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "common/contract/control_groups.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;

/// CPU time per period, in CPUs. A group without a limit says "max" (version 2) or -1 (version 1).
std::optional<double> quota_of_group(const fs::path& folder) {
  double quota = 0, period = 0;
  if (std::ifstream both(folder / "cpu.max"); both >> quota >> period && period > 0) {
    return quota / period;
  }
  std::ifstream v1_quota(folder / "cpu.cfs_quota_us"), v1_period(folder / "cpu.cfs_period_us");
  if (v1_quota >> quota && v1_period >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

}  // namespace

int usable_cpus() {
  static const int count = [] {
    const auto allowed = std::max(1, static_cast<int>(allowed_cpus().size()));
    const double quota = std::ceil(cpu_quota().value_or(allowed));
    return static_cast<int>(std::clamp<double>(quota, 1, allowed));
  }();
  return count;
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

std::optional<double> cpu_quota(const fs::path& root) {
  std::optional<double> smallest;
  for (const auto& folder : control_groups("cpu", root)) {
    const auto quota = quota_of_group(folder);
    if (quota) smallest = std::min(smallest.value_or(*quota), *quota);
  }
  return smallest;
}

}  // namespace sortlab
