// Starts the worker process and waits for its end; and the process groups that this process has started, which are those
// of its worker and of the load.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/harness/worker/channel.hpp"

namespace sortlab {

struct Process {
  int pid;
  Channel channel;  // to it; it ends when this one does
  int confined_to;  // so many CPUs; 0: any
};

inline constexpr const char* kThisProgram = "/proc/self/exe";

/// The variables of this process: "NAME=value".
std::vector<std::string> own_environment();

/// Starts a program in the process group `group`, or in its own where that is 0. `files`: which of this process's files
/// are open there beside the standard ones, and their numbers there. Returns an error number, or 0.
int start_program(const char* program, std::vector<std::string> words,
                  const std::vector<std::pair<int, int>>& files, int group, int& pid,
                  std::vector<std::string> environment = own_environment());
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

/// Registers a group, whose processes this process has started, until remove_child_group().
void add_child_group(int group);
void remove_child_group(int group);

/// Sends a signal to all of them. Safe in a signal handler.
void signal_child_groups(int signal);

/// From now on, descendants whose parent has ended become children of this process, even those that
/// a sort has started in another session.
void adopt_orphans();

/// Kills all adopted processes: the children that did not exist at the first call of
/// adopt_orphans() and that are in no child group.
void end_orphans();

}  // namespace sortlab
