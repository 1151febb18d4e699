// The team of threads: all work is done exactly once, for any number of threads that come. This
// also holds for several callers at once, nested regions, OpenMP's regions and after a fork.
#include <gtest/gtest.h>
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "common/contract/usable_cpus.hpp"
#include "common/threads/team.hpp"

namespace sortlab::threads {
namespace {

/// Whether each of `count` steps is done once, and the caller sees its results.
bool does_all_steps(int count) {
  std::vector<int> done(static_cast<std::size_t>(count));
  on_all_threads(count, [&](int t) { ++done[static_cast<std::size_t>(t)]; });
  return done == std::vector<int>(static_cast<std::size_t>(count), 1);
}

TEST(Loops, DoAllStepsOnce) {
  for (const int threads : {1, 2, 3, 16, 255, 256, 257, 1000}) {
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(does_all_steps(threads)) << threads;
  }
}

TEST(Loops, GiveEachPartToOneThread) {
  for (const int threads : {1, 2, 7}) {
    for (const int count : {0, 1, 5, 1000}) {
      std::vector<int> done(static_cast<std::size_t>(count));
      std::atomic<bool> slots_fit = true;
      for_each_part(count, threads, [&](int i, int t) {
        ++done[static_cast<std::size_t>(i)];
        if (t < 0 || t >= threads) slots_fit = false;
      });
      EXPECT_EQ(done, std::vector<int>(static_cast<std::size_t>(count), 1));
      EXPECT_TRUE(slots_fit);
    }
  }
}

TEST(Loops, NeverRunTwoPartsOfOneSlotAtOnce) {
  constexpr int kThreads = 4;
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> inside[kThreads] = {};
    std::atomic<bool> alone = true;
    for_each_part(64, kThreads, [&](int, int t) {
      if (inside[t]++ != 0) alone = false;
      --inside[t];
    });
    ASSERT_TRUE(alone);
  }
}

TEST(Loops, ChunksTileTheItems) {
  for (const std::size_t n : {0, 1, 5, 1000}) {
    std::vector<int> done(n);
    for_each_chunk(n, 7, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) ++done[i];
    });
    EXPECT_EQ(done, std::vector<int>(n, 1));
  }
}

TEST(Team, UsesSeveralThreads) {
  if (usable_cpus() < 2) GTEST_SKIP() << "one CPU";
  using Clock = std::chrono::steady_clock;
  std::atomic<bool> two_at_once = false;
  // A busy machine may keep the second thread waiting for long.
  for (const auto begin = Clock::now();
       !two_at_once && Clock::now() < begin + std::chrono::seconds(60);) {
    std::atomic<int> inside = 0;
    on_all_threads(2, [&](int) {
      ++inside;
      // A CPU that another program uses may be free only after that program's turn of some milliseconds.
      const auto until = Clock::now() + std::chrono::milliseconds(20);
      while (Clock::now() < until && !two_at_once) {
        if (inside == 2) two_at_once = true;
      }
      --inside;
    });
  }
  EXPECT_TRUE(two_at_once);
}

TEST(Team, ServesAfterItSlept) {
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(does_all_steps(4));
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
}

TEST(Team, TakesRegionsInsideOfRegions) {
  std::atomic<int> good = 0;
  on_all_threads(4, [&](int) { good += does_all_steps(4); });
  EXPECT_EQ(good, 4);
}

TEST(Team, TakesSeveralCallersAtOnce) {
  std::atomic<int> good = 0;
  std::vector<std::jthread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 500; ++i) good += does_all_steps(5) && team::at_hand(5) >= 1;
    });
  }
  callers.clear();
  EXPECT_EQ(good, 2000);
}

TEST(Team, WorksInsideOfOpenMpRegions) {
  int good = 0;
#pragma omp parallel for num_threads(3) reduction(+ : good)
  for (int i = 0; i < 30; ++i) good += does_all_steps(4);
  EXPECT_EQ(good, 30);
}

#if !defined(SORTLAB_SANITIZE_THREAD)  // which forbids threads in a forked child
TEST(Team, IsMadeAnewAfterAFork) {
  ASSERT_TRUE(does_all_steps(4));
  const pid_t child = fork();
  if (child == 0) _exit(does_all_steps(4) ? 0 : 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(does_all_steps(4));
}
#endif

/// A region in which a member works ten times as long as the caller. Whether it came.
bool member_has_more_work() {
  using std::chrono::steady_clock, std::chrono::microseconds;
  std::atomic<bool> has_come = false;
  const auto caller = std::this_thread::get_id();
  on_all_threads(2, [&](int t) {
    if (t == 1 && std::this_thread::get_id() != caller) has_come = true;
    const auto last = steady_clock::now() + std::chrono::milliseconds(20);
    while (t == 0 && !has_come && steady_clock::now() < last) std::this_thread::yield();
    const auto end = steady_clock::now() + microseconds(t == 0 ? 200 : 2000);
    while (steady_clock::now() < end) {
    }
  });
  return has_come;
}

TEST(Team, KeepsAMemberThatHasMoreWork) {
  if (usable_cpus() < 2) GTEST_SKIP() << "one CPU";
  // On a busy machine a member does not come, or is stopped and therefore late.
  bool is_kept = false;
  for (int i = 0; i < 200 && !is_kept; ++i) {
    team::end();
    is_kept = member_has_more_work() && member_has_more_work() && team::at_hand(2) == 2;
  }
  EXPECT_TRUE(is_kept);
}

TEST(Team, IsAtHandAsAWholeWhereNobodyCameLate) {
  std::this_thread::sleep_for(
      std::chrono::milliseconds(1100));  // after which the team forgets late members
  EXPECT_EQ(team::at_hand(1), 1);
  EXPECT_EQ(team::at_hand(100), 100);
}

}  // namespace
}  // namespace sortlab::threads
