#include "common/harness/rig/counting.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <vector>

#include "common/harness/rig/perf_events.hpp"
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

}  // namespace sortlab
