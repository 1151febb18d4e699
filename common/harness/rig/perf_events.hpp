// The event counters of Linux (perf_event_open) for all threads of this process.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/harness/rig/counters.hpp"

namespace sortlab {

/// A kind of event, as linux/perf_event.h numbers them.
struct EventKind {
  std::uint32_t type;
  std::uint64_t config;
};

/// Cycles, instructions, branch misses and misses of the last-level cache.
extern const std::array<EventKind, kCpuCounters> kCpuEvents;

/// What a kind's counters say. Where there are more kinds than the CPU has counters, they take turns: then
/// a kind was counted for a part only of the time that it was enabled.
struct EventReading {
  std::uint64_t count = 0, enabled_ns = 0, running_ns = 0;

  EventReading& operator+=(const EventReading& other);
  EventReading operator-(const EventReading& other) const;
  /// The count of all the time. Empty where no time was counted.
  std::optional<double> scaled() const;
};

/// Counts in user mode from its construction on.
class PerfEvents {
 public:
  /// Counts these kinds on the threads that the process has now, and on those that they will start. Each
  /// thread takes one file per kind: the limit of open files is raised as far as it may be.
  explicit PerfEvents(std::span<const EventKind> kinds);
  ~PerfEvents();
  PerfEvents(const PerfEvents&) = delete;
  PerfEvents& operator=(const PerfEvents&) = delete;

  /// Of each kind, the sum over the threads. Nothing is counted of a kind that was refused.
  std::vector<EventReading> read() const;

  /// Why Linux refused a kind, as an errno; 0 where it counts it.
  int error(std::size_t kind) const { return opened_[kind].error; }

 private:
  struct Opened {
    std::vector<int> files;  // one per thread
    int error = 0;
  };
  static Opened open(const EventKind& kind, const std::vector<int>& threads);

  std::vector<Opened> opened_;  // by kind
};

}  // namespace sortlab
