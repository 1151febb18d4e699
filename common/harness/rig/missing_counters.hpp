// Which of the CPU's counters can't be had here, why, and what mends it.
#pragma once

#include <string>

namespace sortlab {

/// All empty when everything can be counted.
struct MissingCounters {
  std::string names;  // "cycles, branch_misses"
  std::string why;
  std::string mend;  // what to do; "" where nothing can be done from here
};

/// Tries each of kCpuEvents in this process.
MissingCounters missing_counters();

/// Why perf_event_open failed with `error`, an errno; `paranoid` is kernel.perf_event_paranoid. `names` stays
/// empty.
MissingCounters why_refused(int error, int paranoid, bool is_virtual_machine);

/// What a run that counts should say before it begins, on stderr; nothing where all can be counted.
void tell_missing_counters();

}  // namespace sortlab
