// The energy of one sort. No meter resolves so little energy, so the meter is read around a burst
// of sorts, and each sort gets an equal share.
#pragma once

#include <optional>

#include "common/harness/input/input.hpp"
#include "common/harness/rig/rig.hpp"

namespace sortlab {

/// Joules; empty where there is no meter, or it may not be read.
struct Energy {
  std::optional<double> gpu, cpu;
};

/// Restores and sorts for at least a second, then only restores as many times. Returns the difference
/// in energy per sort.
Energy energy_of_a_sort(Rig& rig, const InputPool& inputs);

}  // namespace sortlab
