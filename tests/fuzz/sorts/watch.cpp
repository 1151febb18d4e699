#include "tests/fuzz/sorts/watch.hpp"

#include <unistd.h>
#include <csignal>
#include <cstddef>
#include <cstring>

namespace sortlab::fuzz {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

// A signal handler may not allocate, so this holds its text.
constexpr std::size_t kLongest = 1024;
char program_name[64];
char at_work[Watch::kMostThreads][kLongest];
struct sigaction before[NSIG];
char stack[1 << 16];  // of the handlers, because an infinite recursion uses up the normal one

void print(const char* text) { (void)!write(STDERR_FILENO, text, std::strlen(text)); }

/// If another handler exists, for example AddressSanitizer's, the fault is repeated for it.
void on_fault(int signal) {
  Watch::print_what_works(": crashed in ");
  if (before[signal].sa_handler == SIG_DFL) _exit(1);
  sigaction(signal, &before[signal], nullptr);
}

void on_timeout(int) {
  Watch::print_what_works(": does not end: ");
  _exit(1);
}

void copy_text(char* to, std::size_t capacity, const std::string& text) {
  const std::size_t length = text.copy(to, capacity - 1);
  to[length] = '\0';
}

}  // namespace

Watch::Watch(std::string program, unsigned timeout_seconds) : timeout_seconds_(timeout_seconds) {
  copy_text(program_name, sizeof program_name, program);
  const stack_t handlers_stack{.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
  sigaltstack(&handlers_stack, nullptr);
  struct sigaction action {};
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = on_fault;
  for (const int signal : kSignals) sigaction(signal, &action, &before[signal]);
  action.sa_handler = on_timeout;
  sigaction(SIGALRM, &action, &before[SIGALRM]);
}

Watch::~Watch() {
  alarm(0);
  for (const int signal : kSignals) sigaction(signal, &before[signal], nullptr);
  sigaction(SIGALRM, &before[SIGALRM], nullptr);
}

void Watch::begin(int thread, const std::string& work) const {
  copy_text(at_work[thread], kLongest, work);
  alarm(timeout_seconds_);
}

void Watch::print_what_works(const char* reason) {
  for (const auto& work : at_work) {
    if (work[0] == '\0') continue;
    print(program_name);
    print(reason);
    print(work);
    print("\n");
  }
}

void Watch::end(int thread) { at_work[thread][0] = '\0'; }

}  // namespace sortlab::fuzz
