#include "common/harness/measure/idle_threads.hpp"

#include <chrono>
#include <ctime>
#include <thread>

#include "common/timers.hpp"

namespace sortlab {
namespace {

/// CPU time of all threads of this process, in seconds.
double cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void wait_for_idle_threads() {
  constexpr double kMost_s = 0.1;
  constexpr double kIdle = 0.1;  // of one CPU; what a sleep itself costs is far less
  // Linux adds the time of a running thread at a tick, 250 times a second in most builds.
  constexpr std::chrono::milliseconds kLook(5);
  for (const Stopwatch watch; watch.elapsed_s() < kMost_s;) {
    const double cpu_before_s = cpu_s();
    const Stopwatch look;
    std::this_thread::sleep_for(kLook);
    if (cpu_s() - cpu_before_s < kIdle * look.elapsed_s()) return;
  }
}

}  // namespace sortlab
