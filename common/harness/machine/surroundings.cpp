#include "common/harness/machine/surroundings.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace sortlab {
namespace {

namespace fs = std::filesystem;

/// Microseconds of CPU time per period, in CPUs. A group without a limit says "max" (v2) or -1 (v1).
std::optional<double> quota_of_group(const fs::path& folder) {
  double quota = 0, period = 0;
  if (std::ifstream both(folder / "cpu.max"); both >> quota >> period && period > 0) {
    return quota / period;
  }
  std::ifstream v1_quota(folder / "cpu.cfs_quota_us"), v1_period(folder / "cpu.cfs_period_us");
  if (v1_quota >> quota && v1_period >> period && quota > 0 && period > 0) return quota / period;
  return std::nullopt;
}

/// "cpu,cpuacct" lists cpu.
bool lists_cpu(std::string_view controllers) {
  return fmt::format(",{},", controllers).find(",cpu,") != std::string::npos;
}

std::string allowed_cpus() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return "";
  std::string list;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &set)) continue;
    const int first = cpu;
    while (cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, &set)) ++cpu;
    if (!list.empty()) list += ',';
    list += first == cpu ? fmt::format("{}", cpu) : fmt::format("{}-{}", first, cpu);
  }
  return list;
}

}  // namespace

std::optional<double> cpu_quota(const fs::path& process, const fs::path& mounted) {
  std::optional<double> smallest;
  // A line per hierarchy: "0::/a/b" for v2, "4:cpu,cpuacct:/a/b" for v1.
  std::ifstream lines(process);
  for (std::string line; std::getline(lines, line);) {
    const auto controllers = line.find(':') + 1, path = line.find(':', controllers) + 1;
    if (controllers == 0 || path == 0) continue;
    const std::string names = line.substr(controllers, path - 1 - controllers);
    if (!names.empty() && !lists_cpu(names)) continue;
    const fs::path root = names.empty() ? mounted : mounted / names;
    // In a container the path may be the host's: folders that are absent here set no limit.
    for (fs::path group = fs::path(line.substr(path)).relative_path();;
         group = group.parent_path()) {
      const auto quota = quota_of_group(root / group);
      if (quota) smallest = std::min(smallest.value_or(*quota), *quota);
      if (group.empty()) break;
    }
  }
  return smallest;
}

Surroundings surroundings() {
  Surroundings now;
  if (double load = 0; getloadavg(&load, 1) == 1) now.load_1min = load;
  now.cpu_quota = cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
  now.cpu_list = allowed_cpus();
  return now;
}

}  // namespace sortlab
