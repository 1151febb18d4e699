// How much heap a piece of code had in use at most: for baselines that allocate for themselves.
#pragma once

#include <cstddef>
#include <optional>

namespace sortlab {

/// Counts every malloc, calloc, realloc, aligned allocation and free of the process, whichever
/// library calls it, from start() to peak_bytes(). The functions of the C library are interposed;
/// while the meter is off they cost one predictable branch.
class HeapMeter {
 public:
  static void start();
  /// Stops, and returns the largest number of bytes in use at once beyond those in use at start().
  /// Empty under a sanitizer, which has the heap to itself.
  static std::optional<std::size_t> peak_bytes();

  /// While one lives, nothing counts: for what the harness allocates amid the code that is metered.
  class Pause {
   public:
    Pause();
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    bool was_on_ = false;
  };
};

}  // namespace sortlab
