// What is measured of a sort beside its time: counts of the CPU's performance counters and of Linux, and energy. This takes
// time, so it is done apart from the samples: a sample takes as long with --counters or --energy as without.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

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

}  // namespace sortlab
