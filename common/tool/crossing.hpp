// From which n on the GPU is faster than the CPU.
#pragma once

#include <cstddef>
#include <map>

namespace sortlab {

/// The time of a side's best sort, by n.
using BestTimes = std::map<std::size_t, double>;

struct Crossing {
  enum class Kind { at, always_gpu, always_cpu, no_common_n };
  Kind kind = Kind::no_common_n;
  double n = 0;                       // Kind::at: between two measured ones, on a logarithmic scale
  std::size_t n_low = 0, n_high = 0;  // the smallest and largest that both sides were measured at
};

Crossing crossing_of(const BestTimes& cpu, const BestTimes& gpu);

}  // namespace sortlab
