// Programs that do nothing but compute, so that sorts can be measured on a busy machine.
#pragma once

#include <string_view>
#include <vector>

#include "common/harness/load.hpp"

namespace sortlab {

/// Keeps CPUs busy for as long as it lives, by a process per CPU: this program, started again as
/// `<program> load 1:ON/OFF`. They have a process group of their own, so Ctrl-C leaves them to this
/// object, and they die with the thread that started them, however it ends.
class BusyCpus {
 public:
  BusyCpus() = default;
  ~BusyCpus();
  BusyCpus(const BusyCpus&) = delete;
  BusyCpus& operator=(const BusyCpus&) = delete;

  /// Ends the load that there was and makes this one; processes of the same load that still run stay.
  /// Returns whether anything changed, once all processes have computed for a moment. Throws
  /// std::runtime_error when they cannot be started.
  bool make(const Load& load);

 private:
  void start();
  void end();
  bool all_run() const;

  Load load_;
  std::vector<int> pids_;
};

/// What such a process does: computes and sleeps as a load of one CPU says, until it is killed.
int busy_main(std::string_view load);

}  // namespace sortlab
