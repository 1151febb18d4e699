#include "common/harness/run/interrupt.hpp"

#include <csignal>

#include "common/harness/pause.hpp"

namespace sortlab {
namespace {

volatile std::sig_atomic_t interrupt_seen = 0;

void on_interrupt(int) { interrupt_seen = 1; }

}  // namespace

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
