// How many threads this process has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace sortlab::tests {

/// A thread that has been joined may be listed for a moment longer.
inline bool is_ending(const std::filesystem::path& task) {
  constexpr unsigned kExiting = 4;  // PF_EXITING of Linux
  std::string text;
  std::getline(std::ifstream(task / "stat"), text);
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  std::string state;
  long parent, group, session, terminal, owner;
  unsigned flags = 0;
  return !(fields >> state >> parent >> group >> session >> terminal >> owner >> flags) ||
         (flags & kExiting) != 0;
}

inline std::size_t threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::count_if(
      begin(tasks), end(tasks), [](const auto& task) { return !is_ending(task.path()); }));
}

}  // namespace sortlab::tests
