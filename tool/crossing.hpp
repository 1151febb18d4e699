// From which n on the GPU is faster than the CPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

namespace sortlab {

/// The time of a side's best sort, by n.
using BestTimes = std::map<std::size_t, double>;

struct Crossing {
  enum class Kind { at, always_gpu, always_cpu, no_common_n };
  Kind kind = Kind::no_common_n;
  double n = 0;                       // Kind::at: between two measured ones, on a logarithmic scale
  std::size_t n_low = 0, n_high = 0;  // the smallest and largest that both sides were measured at
};

inline Crossing crossing_of(const BestTimes& cpu, const BestTimes& gpu) {
  Crossing result;
  std::vector<std::size_t> common;
  for (const auto& [n, time] : gpu) {
    if (cpu.contains(n)) common.push_back(n);
  }
  if (common.empty()) return result;
  result.n_low = common.front();
  result.n_high = common.back();
  const auto lead = [&](std::size_t n) { return std::log(cpu.at(n) / gpu.at(n)); };
  const auto last_of_cpu =
      std::find_if(common.rbegin(), common.rend(), [&](std::size_t n) { return lead(n) <= 0; });
  if (last_of_cpu == common.rend()) {
    result.kind = Crossing::Kind::always_gpu;
  } else if (last_of_cpu == common.rbegin()) {
    result.kind = Crossing::Kind::always_cpu;
  } else {
    const double a = std::log(*last_of_cpu), b = std::log(*(last_of_cpu - 1));
    const double lead_a = lead(*last_of_cpu), lead_b = lead(*(last_of_cpu - 1));
    result.kind = Crossing::Kind::at;
    result.n = std::exp(a + (b - a) * -lead_a / (lead_b - lead_a));
  }
  return result;
}

}  // namespace sortlab
