#include "common/harness/worker/process.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/contract/usable_cpus.hpp"
#include "common/timers.hpp"

extern char** environ;

namespace sortlab {
namespace {

constexpr int kNone = 0;
std::atomic<int> child_groups[64];  // kNone: a free place

void replace_one(int old_group, int new_group) {
  for (auto& group : child_groups) {
    int expected = old_group;
    if (group.compare_exchange_strong(expected, new_group)) return;
  }
  throw std::runtime_error("too many processes of sortlab's own");
}

bool is_child_group(int group) {
  return std::any_of(std::begin(child_groups), std::end(child_groups),
                     [group](const auto& known) { return known == group; });
}

/// Empty if the kernel does not list them.
std::set<int> children() {
  std::ifstream list(fmt::format("/proc/self/task/{}/children", getpid()));
  std::set<int> pids;
  for (int pid = 0; list >> pid;) pids.insert(pid);
  return pids;
}

/// The children that a shell had started before it became this program.
const std::set<int>& children_from_before() {
  static const std::set<int> from_before = children();
  return from_before;
}

/// During its lifetime, confines this process and its children to the first `count` of its CPUs.
class ConfinedToCpus {
 public:
  explicit ConfinedToCpus(int count) {
    if (count == 0 || !before_.read(0)) return;
    CpuSet first;
    for (const int cpu : allowed_cpus()) {
      if (count-- > 0) first.add(cpu);
    }
    is_confined_ = first.apply();
  }
  ~ConfinedToCpus() {
    if (is_confined_) before_.apply();
  }

 private:
  CpuSet before_;
  bool is_confined_ = false;
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

int start_program(const char* program, std::vector<std::string> words,
                  const std::vector<std::pair<int, int>>& files, int group, int& pid,
                  std::vector<std::string> environment) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const auto& [here, there] : files) posix_spawn_file_actions_adddup2(&actions, here, there);
  posix_spawnattr_t in_group;
  posix_spawnattr_init(&in_group);
  posix_spawnattr_setflags(&in_group, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&in_group, group);
  const int error = posix_spawnp(&pid, program, &actions, &in_group, pointers_to(words).data(),
                                 pointers_to(environment).data());
  posix_spawnattr_destroy(&in_group);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

void add_child_group(int group) { replace_one(kNone, group); }

void remove_child_group(int group) { replace_one(group, kNone); }

void signal_child_groups(int signal) {
  for (const auto& group : child_groups) {
    if (const int number = group; number != kNone) kill(-number, signal);
  }
}

void adopt_orphans() {
  children_from_before();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void end_orphans() {
  for (bool found = true; found;) {  // the end of one may bring its children
    found = false;
    for (const int pid : children()) {
      if (children_from_before().contains(pid) || is_child_group(getpgid(pid))) continue;
      found = true;
      kill(pid, SIGKILL);
      while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }
}

Process start_worker(int cpus) { return start_self({"worker"}, cpus); }

Process start_self(const std::vector<std::string>& arguments, int cpus) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error(fmt::format("socketpair: {}", std::strerror(errno)));
  }
  Process process{-1, Channel(ends[0]), cpus};
  adopt_orphans();
  const ConfinedToCpus confined(cpus);
  constexpr int kWorkerSocket = 3;
  std::vector<std::string> words = {"sortlab"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.push_back(std::to_string(kWorkerSocket));
  // A sort's output must not mix with the data on stdout.
  const int error =
      start_program(kThisProgram, std::move(words),
                    {{ends[1], kWorkerSocket}, {STDERR_FILENO, STDOUT_FILENO}}, 0, process.pid);
  close(ends[1]);
  if (error != 0) {
    throw std::runtime_error(
        fmt::format("cannot start the worker from {}: {}", kThisProgram, std::strerror(error)));
  }
  add_child_group(process.pid);
  return process;
}

bool has_ended(int pid) {
  siginfo_t info{};
  const auto id = static_cast<id_t>(pid);
  return waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

void kill_worker(int pid) {
  kill(-pid, SIGKILL);
  kill(pid, SIGKILL);  // it may have left its group
}

std::optional<int> wait_for_end(int pid) {
  constexpr double kSecondsToEnd = 5;
  const Stopwatch watch;
  for (useconds_t pause_us = 50; !has_ended(pid) && watch.elapsed_s() < kSecondsToEnd;
       pause_us = std::min(2 * pause_us, 20'000u)) {
    usleep(pause_us);
  }
  const bool ended_itself = has_ended(pid);
  kill_worker(pid);  // before waitpid: until then no other process can have the number
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  remove_child_group(pid);
  end_orphans();
  return ended_itself ? std::optional(status) : std::nullopt;
}

}  // namespace sortlab
