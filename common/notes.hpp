// Messages to the user on stderr: progress, warnings, errors.
#pragma once

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <utility>

namespace sortlab {

/// Writes to stderr if possible. The terminal may be closed, the disk full, or the pipe without a
/// reader. None of these may end a measurement, so it throws nothing and raises no signal.
template <class... Args>
void note(fmt::format_string<Args...> format, Args&&... args) noexcept try {
  const std::string text = fmt::format(format, std::forward<Args>(args)...);
  sigset_t broken_pipe, before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  const timespec at_once{};
  sigtimedwait(&broken_pipe, nullptr, &at_once);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
} catch (...) {  // no memory for the text
}

}  // namespace sortlab
