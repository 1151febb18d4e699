// Starts the worker process and waits for its end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/harness/worker/channel.hpp"

namespace sortlab {

struct Process {
  int pid;
  Channel channel;  // to it; it ends when this one does
  int confined_to;  // so many CPUs; 0: any
};

/// Starts this program again as `<program> worker <socket>`, in its own process group, on the first
/// `cpus` of the CPUs that this process may use; 0: on all of them. Throws std::runtime_error.
Process start_worker(int cpus);

/// The same with other arguments: `<program> <arguments> <socket>`.
Process start_self(const std::vector<std::string>& arguments, int cpus);

/// Whether a worker has ended. wait_for_end() must still be called.
bool has_ended(int pid);

/// Kills a worker and all processes that its sorts have started in its process group.
void kill_worker(int pid);

/// Waits until a worker has ended, and kills all processes that its sorts have started. Returns its
/// status, as waitpid does. A worker that does not end within some seconds is killed and has no
/// status.
std::optional<int> wait_for_end(int pid);

}  // namespace sortlab
