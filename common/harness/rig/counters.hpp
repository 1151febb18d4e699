// What is measured of a sort beside its time: counts of the CPU's performance counters and of Linux, and energy. This takes
// time, so it is done apart from the samples: a sample takes as long with --counters or --energy as without.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "common/harness/modes.hpp"

namespace sortlab {

class InputPool;
class Rig;

/// The counters, by their columns of the CSV. Those of the CPU come first: they count in user mode only.
inline constexpr std::array<const char*, 6> kCounterNames = {
    "cycles", "instructions", "branch_misses", "cache_misses", "page_faults", "context_switches"};
inline constexpr std::size_t kCpuCounters = 4;

/// Counts of one sort, by all threads of its process together, in the order of kCounterNames. Empty
/// where nothing was counted.
using Counters = std::array<std::optional<double>, kCounterNames.size()>;

/// Restores and sorts for at least 0.2 s, or once where that takes longer. Returns the mean counts per sort
/// of a host rig. The counters are read before and after each sort.
Counters counters_of_a_sort(Rig& rig, const InputPool& inputs, CacheState cache);

/// Joules; empty where there is no meter, or it may not be read.
struct Energy {
  std::optional<double> gpu, cpu;
};

/// No meter resolves the energy of one sort, so the meter is read around a burst of sorts, and each sort gets an equal
/// share. Restores and sorts for at least a second, then only restores as many times. Returns the difference
/// in energy per sort.
Energy energy_of_a_sort(Rig& rig, const InputPool& inputs);

// Which of the CPU's counters can't be had here, why, and what mends it.

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
void note_missing_counters();

}  // namespace sortlab
