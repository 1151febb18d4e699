#include "common/contract/usable_cpus.hpp"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <vector>

#include "common/contract/control_groups.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;

/// The first two numbers of a file, or as many as it begins with. By the C library: a Python module has a C++
/// library of its own in a process with another one, and there `stream >> double` crashed, because the two
/// share their locale's numbering.
std::vector<double> first_numbers(const fs::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "r"),
                                                             &std::fclose);
  if (file == nullptr) return {};
  std::vector<double> numbers(2);
  const int found = std::fscanf(file.get(), "%lf %lf", numbers.data(), numbers.data() + 1);
  numbers.resize(static_cast<std::size_t>(std::max(found, 0)));
  return numbers;
}

/// CPU time per period, in CPUs. A group without a limit says "max" (version 2) or -1 (version 1).
std::optional<double> quota_of_group(const fs::path& folder) {
  if (const auto both = first_numbers(folder / "cpu.max"); both.size() == 2 && both[1] > 0) {
    return both[0] / both[1];
  }
  const auto quota = first_numbers(folder / "cpu.cfs_quota_us");
  const auto period = first_numbers(folder / "cpu.cfs_period_us");
  if (quota.size() == 1 && period.size() == 1 && quota[0] > 0 && period[0] > 0) {
    return quota[0] / period[0];
  }
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
