#include "common/harness/rig/counters.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "common/harness/machine/spoilers.hpp"
#include "common/harness/rig/perf_events.hpp"
#include "common/harness/rig/rig.hpp"
#include "common/harness/terminal/window.hpp"
#include "common/timers.hpp"

namespace sortlab {
namespace {

constexpr double kEnough_s = 0.2;

/// Of the whole process. Linux counts these for every process, with no rights needed.
struct KernelCounts {
  long page_faults, context_switches;

  static KernelCounts now() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return {usage.ru_minflt + usage.ru_majflt, usage.ru_nvcsw + usage.ru_nivcsw};
  }
};

using Readings = std::vector<EventReading>;

void add_growth(Readings& sum, const Readings& from, const Readings& to) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += to[i] - from[i];
}

namespace fs = std::filesystem;

/// The energy counters of the CPU's packages (RAPL, which AMD's processors have too). They count
/// microjoules and begin again at 0 every few minutes under load.
class CpuMeter {
 public:
  CpuMeter() {
    const fs::path folder = "/sys/class/powercap";
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
      // "intel-rapl:0" is a package; "intel-rapl:0:1" a part of it, counted there already.
      const std::string name = entry.path().filename();
      if (name.starts_with("intel-rapl:") && std::count(name.begin(), name.end(), ':') == 1) {
        packages_.push_back({entry.path(), read(entry.path() / "energy_uj")});
      }
    }
  }

  /// Since construction.
  std::optional<double> joules() const {
    double sum = 0;
    for (const auto& package : packages_) {
      const auto now = read(package.folder / "energy_uj");
      const auto range = read(package.folder / "max_energy_range_uj");
      if (!now || !package.start || !range) return std::nullopt;
      sum += *now - *package.start + (*now < *package.start ? *range : 0);
    }
    if (packages_.empty()) return std::nullopt;
    return sum * 1e-6;
  }

 private:
  struct Package {
    fs::path folder;
    std::optional<double> start;
  };

  static std::optional<double> read(const fs::path& path) {
    std::ifstream in(path);
    double value = 0;
    if (!(in >> value)) return std::nullopt;
    return value;
  }

  std::vector<Package> packages_;
};

struct Burst {
  int count = 0;
  Energy used;
};

std::optional<double> difference(std::optional<double> a, std::optional<double> b) {
  if (!a || !b) return std::nullopt;
  return *a - *b;
}

/// Calls step(i) for i = 0, 1, ... while go_on(i, seconds since the start).
template <class GoOn, class Step>
Burst burst(const Rig& rig, GoOn go_on, Step step) {
  Burst result;
  const auto gpu_start = rig.device_joules();
  const CpuMeter cpu;
  const Stopwatch watch;
  for (; go_on(result.count, watch.elapsed_s()); ++result.count) step(result.count);
  result.used = {difference(rig.device_joules(), gpu_start), cpu.joules()};
  return result;
}

}  // namespace

Counters counters_of_a_sort(Rig& rig, const InputPool& inputs, CacheState cache) {
  const PerfEvents events(kCpuEvents);
  // Threads that wait by spinning go on to do so while the counters are read. So what a second
  // reading right after the first one finds counts for none.
  Readings sorting(kCpuCounters), reading(kCpuCounters);
  KernelCounts kernel{};
  Sample untimed;
  int sorts = 0;
  for (const Stopwatch watch; sorts == 0 || watch.elapsed_s() < kEnough_s; ++sorts) {
    rig.restore(inputs.version(sorts));
    if (cache == CacheState::cold) rig.flush_caches();
    const KernelCounts kernel_before = KernelCounts::now();
    const Readings before = events.read();
    rig.sort(untimed);
    const Readings after = events.read(), later = events.read();
    const KernelCounts kernel_after = KernelCounts::now();
    add_growth(sorting, before, after);
    add_growth(reading, after, later);
    kernel.page_faults += kernel_after.page_faults - kernel_before.page_faults;
    kernel.context_switches += kernel_after.context_switches - kernel_before.context_switches;
  }

  Counters counters;
  for (std::size_t i = 0; i < kCpuCounters; ++i) {
    const auto all = sorting[i].scaled();
    if (all) counters[i] = std::max(0.0, *all - reading[i].scaled().value_or(0)) / sorts;
  }
  counters[kCpuCounters] = static_cast<double>(kernel.page_faults) / sorts;
  counters[kCpuCounters + 1] = static_cast<double>(kernel.context_switches) / sorts;
  return counters;
}

Energy energy_of_a_sort(Rig& rig, const InputPool& inputs) {
  Sample untimed;
  const Burst sorts = burst(
      rig, [](int, double seconds) { return seconds < 1; },
      [&](int i) {
        rig.restore(inputs.version(i));
        rig.sort(untimed);
      });
  const Burst restores = burst(
      rig, [&](int i, double) { return i < sorts.count; },
      [&](int i) { rig.restore(inputs.version(i)); });
  const auto share = [&](std::optional<double> with, std::optional<double> without) {
    auto more = difference(with, without);
    if (more) *more /= sorts.count;
    return more;
  };
  return {share(sorts.used.gpu, restores.used.gpu), share(sorts.used.cpu, restores.used.cpu)};
}

namespace {

/// 2 lets every user count their own programs in user mode. Some distributions have 3 or 4, which forbids it.
constexpr int kMostParanoid = 2;

int perf_event_paranoid() {
  int level = 0;
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
  return level;
}

}  // namespace

MissingCounters why_refused(int error, int paranoid, bool is_virtual_machine) {
  switch (error) {
    case EACCES:
    case EPERM:
      if (paranoid > kMostParanoid) {
        return {"", fmt::format("kernel.perf_event_paranoid is {}", paranoid),
                fmt::format("sudo sysctl kernel.perf_event_paranoid={}", kMostParanoid)};
      }
      [[fallthrough]];
    case ENOSYS:
      return {"", "perf_event_open is forbidden here, as in most containers",
              "docker run --cap-add PERFMON, or measure outside of the container"};
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      if (!is_virtual_machine) return {"", "this CPU, or its kernel, does not count them", ""};
      return {"", "this virtual machine has no performance counters (PMU)",
              "add a PMU to it (QEMU: -cpu host,pmu=on), or measure outside of it"};
    default:
      return {"", std::strerror(error), ""};
  }
}

MissingCounters missing_counters() {
  MissingCounters missing;
  const PerfEvents events(kCpuEvents);
  std::string names;
  for (std::size_t i = 0; i < kCpuCounters; ++i) {
    if (events.error(i) == 0) continue;
    if (names.empty()) {
      missing = why_refused(events.error(i), perf_event_paranoid(), is_virtual_machine());
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", kCounterNames[i]);
  }
  missing.names = names;
  return missing;
}

void note_missing_counters() {
  const auto [names, why, mend] = missing_counters();
  if (names.empty()) return;
  note_line(fmt::format("counters: no {}: {}{}", names, why,
                        mend.empty() ? "" : " (mend: " + mend + ")"));
}

}  // namespace sortlab
