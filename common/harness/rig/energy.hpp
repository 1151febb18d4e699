// Energy of one sort: too little for any meter, so it is that of a burst of sorts, shared out.
#pragma once

#include <optional>

#include "common/harness/input/input.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab {

/// Joules; empty where there is no meter, or it may not be read.
struct Energy {
  std::optional<double> gpu, cpu;
};

/// Restores and sorts for at least a second, then restores as often again; what the first took
/// more, over the number of sorts.
Energy energy_of_a_sort(Rig& rig, const InputPool& inputs);

}  // namespace sortlab
