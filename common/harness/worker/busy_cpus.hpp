// Programs that only compute, so that sorts can be measured on a busy machine.
#pragma once

#include <string_view>
#include <vector>

#include "common/harness/load.hpp"

namespace sortlab {

/// Keeps CPUs busy during its lifetime with one process per CPU: this program, started again as
/// `<program> load 1:ON/OFF`. They have their own process group, so Ctrl-C does not reach them and
/// this object ends them. They always end with the thread that started them.
class BusyCpus {
 public:
  BusyCpus() = default;
  ~BusyCpus();
  BusyCpus(const BusyCpus&) = delete;
  BusyCpus& operator=(const BusyCpus&) = delete;

  /// Ends the previous load and makes this one; running processes of the same load stay. Returns
  /// whether anything changed, once all processes have computed for a moment. Throws
  /// std::runtime_error when they cannot be started.
  bool make(const Load& load);

 private:
  void start();
  void end();
  bool all_run() const;

  Load load_;
  std::vector<int> pids_;
};

/// The work of such a process: it computes and sleeps like a load of one CPU, until it is killed.
int busy_main(std::string_view load);

}  // namespace sortlab
