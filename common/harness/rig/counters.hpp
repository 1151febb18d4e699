// What is counted beside the time of a sort: by the CPU's performance counters, and by Linux.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

namespace sortlab {

/// The counters, by their columns of the CSV. Those of the CPU come first: they count in user mode only.
inline constexpr std::array<const char*, 6> kCounterNames = {
    "cycles", "instructions", "branch_misses", "cache_misses", "page_faults", "context_switches"};
inline constexpr std::size_t kCpuCounters = 4;

/// Counts of one sort, by all threads of its process together, in the order of kCounterNames. Empty
/// where nothing was counted.
using Counters = std::array<std::optional<double>, kCounterNames.size()>;

}  // namespace sortlab
