// Prints which sorts were running when the process dies, or when one does not end.
#pragma once

#include <string>

namespace sortlab::fuzz {

class Watch {
 public:
  /// From now on SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT print the running sorts and end the
  /// process with exit code 1, unless a sanitizer handles them. So does the timeout, which restarts
  /// with each call of begin().
  Watch(std::string program, unsigned timeout_seconds);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  static constexpr int kMostThreads = 64;
  /// Thread `thread` begins with this work, until its next call.
  void begin(int thread, const std::string& work) const;
  static void end(int thread);

  /// Prints one line per running thread on stderr: program, reason, work.
  static void print_what_works(const char* reason);

 private:
  unsigned timeout_seconds_;
};

}  // namespace sortlab::fuzz
