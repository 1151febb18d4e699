#include "common/harness/rig/missing_counters.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "common/harness/machine/spoilers.hpp"
#include "common/harness/rig/perf_events.hpp"
#include "common/harness/terminal/window.hpp"

namespace sortlab {
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
              "give it a PMU (QEMU: -cpu host,pmu=on), or measure outside of it"};
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

void tell_missing_counters() {
  const auto [names, why, mend] = missing_counters();
  if (names.empty()) return;
  note_line(fmt::format("counters: no {}: {}{}", names, why,
                        mend.empty() ? "" : " (mend: " + mend + ")"));
}

}  // namespace sortlab
