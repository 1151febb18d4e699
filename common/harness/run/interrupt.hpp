// Handles Ctrl-C and Ctrl-Z.
#pragma once

#include <cstdint>

#include "common/timers.hpp"

namespace sortlab {

/// From now on the first Ctrl-C (or SIGTERM) only sets interrupted(); the second ends the program.
/// Ctrl-Z: watch_for_pauses().
void watch_for_interrupts();

/// Once it is true, new configurations are left out and the current one is dropped.
bool interrupted();

/// From now on Ctrl-Z (SIGTSTP) stops the process groups that this process has started, then this
/// process. When this process continues, so do they. A process that ignores Ctrl-Z keeps ignoring
/// it.
void watch_for_pauses();

/// For how long this process has been stopped so far, in nanoseconds.
std::int64_t paused_ns();

/// Measures from its construction on, pauses left out.
class WorkingTime {
 public:
  double elapsed_s() const {
    return watch_.elapsed_s() - 1e-9 * static_cast<double>(paused_ns() - paused_before_ns_);
  }

 private:
  Stopwatch watch_;
  std::int64_t paused_before_ns_ = paused_ns();
};

}  // namespace sortlab
