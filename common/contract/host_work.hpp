// Measures the host's share of a hybrid sort, which the CSV records as `host_ns`.
//
//   {
//     const HostWork bootstrap(job.host_clock);   // from here to the end of the block
//     ...
//   }
#pragma once

#include <cstdint>

#include "common/timers.hpp"

namespace sortlab {

/// The time that the host's work in one sort has taken so far.
struct HostClock {
  std::int64_t ns = 0;
};

/// Adds its lifetime to a clock; does nothing if the clock is null.
class HostWork {
 public:
  explicit HostWork(HostClock* clock) : clock_(clock) {}
  ~HostWork() {
    if (clock_ != nullptr) clock_->ns += watch_.elapsed_ns();
  }
  HostWork(const HostWork&) = delete;
  HostWork& operator=(const HostWork&) = delete;

 private:
  HostClock* clock_;
  Stopwatch watch_;
};

}  // namespace sortlab
