// How many threads this process has.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <thread>

namespace sortlab::tests {

inline std::size_t threads_of_process() {
  // A thread that has been joined is listed for a moment longer.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace sortlab::tests
