#include "common/harness/run/interrupt.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>

#include "common/harness/worker/process.hpp"

namespace sortlab {
namespace {

std::atomic<std::int64_t> all_paused_ns = 0;

void on_stop(int) {
  const int error = errno;
  signal_child_groups(SIGTSTP);
  const std::int64_t stopped_ns = now_ns();
  std::raise(SIGSTOP);
  all_paused_ns += now_ns() - stopped_ns;
  signal_child_groups(SIGCONT);
  errno = error;
}

volatile std::sig_atomic_t interrupt_seen = 0;

void on_interrupt(int) { interrupt_seen = 1; }

}  // namespace

void watch_for_pauses() {
  struct sigaction action {
  }, before{};
  sigaction(SIGTSTP, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  action.sa_handler = on_stop;
  action.sa_flags = SA_RESTART;
  sigaction(SIGTSTP, &action, nullptr);
}

std::int64_t paused_ns() { return all_paused_ns; }

void watch_for_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESETHAND;  // a second Ctrl-C ends the program at once
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  watch_for_pauses();
}

bool interrupted() { return interrupt_seen != 0; }

}  // namespace sortlab
