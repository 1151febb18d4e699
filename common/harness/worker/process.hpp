// Starting the worker process, and seeing it end.
#pragma once

#include <optional>

#include "common/harness/worker/channel.hpp"

namespace sortlab {

struct Process {
  int pid;
  Channel channel;  // to it; it ends when this one does
  int confined_to;  // so many CPUs; 0: any
};

/// Starts this program again as `<program> worker <socket>`, on the first `cpus` of the CPUs that this
/// process may use; 0: on all of them. Throws std::runtime_error.
Process start_worker(int cpus);

/// Waits until a process has ended: its status, as of waitpid. One that goes on for more than some
/// seconds is killed, and has none.
std::optional<int> wait_for_end(int pid);

}  // namespace sortlab
