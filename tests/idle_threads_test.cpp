// How the harness waits for the threads that earlier sorts left behind.
#include "common/harness/measure/idle_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "common/timers.hpp"

namespace sortlab {
namespace {

/// How long it waits, in seconds, beside a thread that spins for spin_s.
double wait_s(double spin_s) {
  std::atomic<bool> end = false, spins = false;
  std::thread spinner([&] {
    for (const Stopwatch watch; watch.elapsed_s() < spin_s && !end;) spins = true;
  });
  while (spin_s > 0 && !spins) std::this_thread::yield();
  const Stopwatch watch;
  wait_for_idle_threads();
  const double waited_s = watch.elapsed_s();
  end = true;
  spinner.join();
  return waited_s;
}

// A busy machine may stop the spinning thread meanwhile, or this one for longer.
template <class Condition>
bool once_in(int times, Condition condition) {
  for (int i = 0; i < times; ++i) {
    if (condition()) return true;
  }
  return false;
}

TEST(IdleThreads, WaitsUntilTheySleep) {
  EXPECT_TRUE(once_in(10, [] {
    const double waited_s = wait_s(0.03);
    return waited_s > 0.02 && waited_s < 0.08;
  }));
}

TEST(IdleThreads, DoesNotWaitForLongIfNoneWorks) {
  EXPECT_TRUE(once_in(10, [] { return wait_s(0) < 0.02; }));
}

TEST(IdleThreads, DoesNotWaitForEver) {
  EXPECT_TRUE(once_in(10, [] {
    const double waited_s = wait_s(5);
    return waited_s > 0.05 && waited_s < 1;
  }));
}

}  // namespace
}  // namespace sortlab
