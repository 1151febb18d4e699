// Counters of one sort. Reading them takes time, so this is done apart from the samples: a sample
// takes as long with --counters as without.
#pragma once

#include "common/harness/input/input.hpp"
#include "common/harness/modes.hpp"
#include "common/harness/rig/counters.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab {

/// Restores and sorts for at least 0.2 s, or once where that takes longer. Returns the mean counts per sort
/// of a host rig. The counters are read before and after each sort.
Counters counters_of_a_sort(Rig& rig, const InputPool& inputs, CacheState cache);

}  // namespace sortlab
