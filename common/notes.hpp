// Notes to the user, on stderr: progress, warnings, what went wrong.
#pragma once

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <utility>

namespace sortlab {

/// Writes to stderr as far as that can be written. Its terminal may be gone, its disk full, its pipe
/// without a reader: no measurement ends for that, so nothing is thrown and no signal comes.
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
