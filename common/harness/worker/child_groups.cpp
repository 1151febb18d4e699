#include "common/harness/worker/child_groups.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <set>
#include <stdexcept>

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

}  // namespace

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

}  // namespace sortlab
