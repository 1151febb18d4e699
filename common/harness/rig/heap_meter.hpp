// Measures the peak heap use of a piece of code, for baselines that allocate memory themselves.
#pragma once

#include <cstddef>
#include <optional>

namespace sortlab {

/// Counts every malloc, calloc, realloc, aligned allocation and free of the process, whichever
/// library calls it, from start() to peak_bytes(). It replaces the functions of the C library;
/// while the meter is off, this costs one predictable branch per call.
class HeapMeter {
 public:
  static void start();
  /// Stops, and returns the largest number of bytes in use at once beyond those in use at start().
  /// Empty under a sanitizer, which replaces the heap functions itself.
  static std::optional<std::size_t> peak_bytes();

  /// Suspends the count while it exists, for the harness's own allocations within the measured
  /// code.
  class Pause {
   public:
    Pause();
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    [[maybe_unused]] bool was_on_ = false;  // not under a sanitizer
  };
};

}  // namespace sortlab
