#include "common/contract/usable_cpus.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/contract/callers_state.hpp"
#include "common/contract/made_once.hpp"

namespace sortlab {
namespace {

namespace fs = std::filesystem;

/// The lines of a file. By the C library, see first_numbers(); and a program may have set a locale for streams that
/// reads something else.
std::vector<std::string> lines_of(const fs::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
                                                             &std::fclose);
  std::vector<std::string> lines(1);
  if (file == nullptr) return lines;
  for (int c; (c = std::fgetc(file.get())) != EOF;) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += static_cast<char>(c);
    }
  }
  return lines;
}

/// "cpu,cpuacct" lists cpu.
bool lists(std::string_view controllers, std::string_view controller) {
  while (!controllers.empty()) {
    const auto end = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, end) == controller) return true;
    controllers.remove_prefix(std::min(end + 1, controllers.size()));
  }
  return false;
}

/// The folder of a hierarchy's groups. Some systems mount "cpu,cpuacct" as "cpu".
fs::path top_folder(const fs::path& mounted, const std::string& controllers,
                    std::string_view controller) {
  if (controllers.empty()) return mounted;
  return fs::exists(mounted / controllers) ? mounted / controllers : mounted / controller;
}

/// The first two numbers of a file, or as many as it begins with. By the C library: a Python module has a C++
/// library of its own in a process with another one, and there `stream >> double` crashed, because the two
/// share their locale's numbering.
std::vector<double> first_numbers(const fs::path& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"),
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

/// The fields of the first CPU in /proc/cpuinfo.
std::map<std::string, std::string> first_cpu() {
  std::map<std::string, std::string> fields;
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line) && !line.empty();) {
    const auto colon = line.find(':');
    const auto name_end = line.find_last_not_of(" \t", colon - 1);
    const auto start = line.find_first_not_of(" \t", colon + 1);
    if (colon == std::string::npos || start == std::string::npos) continue;
    fields[line.substr(0, name_end + 1)] =
        line.substr(start, line.find_last_not_of(" \t") - start + 1);
  }
  return fields;
}

/// Arm's server cores by part number. Other cores are named by their numbers.
std::string arm_core(const std::string& implementer, const std::string& part) {
  const std::map<std::string, std::string> cores = {
      {"0xd0c", "Neoverse N1"}, {"0xd40", "Neoverse V1"},   {"0xd49", "Neoverse N2"},
      {"0xd4f", "Neoverse V2"}, {"0xd83", "Neoverse V3AE"}, {"0xd84", "Neoverse V3"},
      {"0xd8e", "Neoverse N3"}};
  const auto core = cores.find(part);
  if (implementer == "0x41" && core != cores.end()) return "Arm " + core->second;
  return "CPU implementer " + implementer + ", part " + part;
}

}  // namespace

std::vector<fs::path> control_groups(std::string_view controller, const fs::path& root) {
  std::vector<fs::path> folders;
  // A line per hierarchy: "0::/a/b" for version 2, "4:cpu,cpuacct:/a/b" for version 1.
  for (const std::string& line : lines_of(root / "proc/self/cgroup")) {
    const auto names = line.find(':') + 1, path = line.find(':', names) + 1;
    if (names == 0 || path == 0) continue;
    const std::string controllers = line.substr(names, path - 1 - names);
    if (!controllers.empty() && !lists(controllers, controller)) continue;
    const fs::path top = top_folder(root / "sys/fs/cgroup", controllers, controller);
    for (fs::path group = fs::path(line.substr(path)).relative_path();;
         group = group.parent_path()) {
      folders.push_back(top / group);
      if (group.empty()) break;
    }
  }
  return folders;
}

int count_usable_cpus() noexcept {
  const Undisturbed undisturbed;
  CpuSet set;
  const bool is_known = set.read(getpid());
  const int allowed =
      std::max(1, is_known ? set.count() : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  try {
    const double quota = std::ceil(cpu_quota().value_or(allowed));
    return static_cast<int>(std::clamp<double>(quota, 1, allowed));
  } catch (const std::exception&) {  // no memory
    return allowed;
  }
}

int usable_cpus() {
  static constinit std::atomic<int> known = 0;
  int count = known.load(std::memory_order_relaxed);
  if (count == 0) known.store(count = count_usable_cpus(), std::memory_order_relaxed);
  return count;
}

std::vector<int> allowed_cpus() {
  CpuSet set;
  std::vector<int> cpus;
  if (!set.read(getpid())) return cpus;
  for (int cpu = 0; cpu < CpuSet::kMost; ++cpu) {
    if (set.has(cpu)) cpus.push_back(cpu);
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

const std::string& cpu_model() {
  static constinit MadeOnce<std::string> model;
  return model.get([] {
    auto fields = first_cpu();
    if (fields.contains("model name")) return fields["model name"];
    if (fields.contains("CPU part")) return arm_core(fields["CPU implementer"], fields["CPU part"]);
    return std::string("unknown CPU");
  });
}

}  // namespace sortlab
