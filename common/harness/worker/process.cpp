#include "common/harness/worker/process.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>

#include "common/timers.hpp"

extern char** environ;

namespace sortlab {
namespace {

/// Confines this process, and what it starts, to the first `count` of its CPUs for as long as it
/// lives.
class ConfinedToCpus {
 public:
  explicit ConfinedToCpus(int count) {
    sched_getaffinity(0, sizeof before_, &before_);
    if (count == 0) return;
    cpu_set_t first;
    CPU_ZERO(&first);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&first) < count; ++cpu) {
      if (CPU_ISSET(cpu, &before_)) CPU_SET(cpu, &first);
    }
    sched_setaffinity(0, sizeof first, &first);
  }
  ~ConfinedToCpus() { sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_;
};

/// Starts this program with `socket` as its only open file beside the standard ones. Returns an error
/// number, or 0.
int spawn(int socket, int& pid) {
  constexpr int kWorkerSocket = 3;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, socket, kWorkerSocket);
  // What a sort prints must not end up among the data on stdout.
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  const std::string socket_text = std::to_string(kWorkerSocket);
  const char* const arguments[] = {"sortlab", "worker", socket_text.c_str(), nullptr};
  const int error = posix_spawn(&pid, "/proc/self/exe", &actions, nullptr,
                                const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Process start_worker(int cpus) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error(fmt::format("socketpair: {}", std::strerror(errno)));
  }
  Process process{-1, Channel(ends[0]), cpus};
  const ConfinedToCpus confined(cpus);
  const int error = spawn(ends[1], process.pid);
  close(ends[1]);
  if (error != 0) {
    throw std::runtime_error(fmt::format("cannot start the worker: {}", std::strerror(error)));
  }
  return process;
}

std::optional<int> wait_for_end(int pid) {
  constexpr double kSecondsToEnd = 5;
  int status = 0;
  const Stopwatch watch;
  for (useconds_t pause_us = 50; watch.elapsed_s() < kSecondsToEnd;
       pause_us = std::min(2 * pause_us, 20'000u)) {
    if (waitpid(pid, &status, WNOHANG) == pid) return status;
    usleep(pause_us);
  }
  kill(pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const bool went_on = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  return went_on ? std::nullopt : std::optional(status);
}

}  // namespace sortlab
