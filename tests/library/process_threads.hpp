// How many threads this process has.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>

namespace sortlab::tests {

inline std::size_t threads_of_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace sortlab::tests
