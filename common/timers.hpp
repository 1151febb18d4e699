// The host clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace sortlab {

/// Nanoseconds of the monotonic clock.
inline std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Measures from its construction on.
class Stopwatch {
 public:
  std::int64_t elapsed_ns() const { return now_ns() - start_; }
  double elapsed_s() const { return static_cast<double>(elapsed_ns()) * 1e-9; }

 private:
  std::int64_t start_ = now_ns();
};

/// The smallest difference between two readings of the clock, in nanoseconds.
inline std::int64_t clock_resolution_ns() {
  std::int64_t smallest = INT64_MAX;
  for (int i = 0; i < 1000; ++i) {
    const std::int64_t start = now_ns();
    std::int64_t end = start;
    while (end == start) end = now_ns();
    if (end - start < smallest) smallest = end - start;
  }
  return smallest;
}

}  // namespace sortlab
