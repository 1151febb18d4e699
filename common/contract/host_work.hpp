// The host's share of a hybrid sort: what becomes of `host_ns`.
//
//   {
//     const HostWork bootstrap;   // from here to the end of the block
//     ...
//   }
#pragma once

#include <cstdint>
#include <utility>

#include "common/timers.hpp"

namespace sortlab {

/// Adds the time that it lives to its thread's account, which the rig empties before each sort and
/// reads after it. Not to be nested.
class HostWork {
 public:
  HostWork() = default;
  ~HostWork() { account() += watch_.elapsed_ns(); }
  HostWork(const HostWork&) = delete;
  HostWork& operator=(const HostWork&) = delete;

  /// Nanoseconds since the last call; 0 when no sort has said anything of host work.
  static std::int64_t take() { return std::exchange(account(), 0); }

 private:
  static std::int64_t& account() {
    thread_local std::int64_t ns = 0;
    return ns;
  }
  Stopwatch watch_;
};

}  // namespace sortlab
