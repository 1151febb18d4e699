// The library's threads: several callers, forks, limits, and their end.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sortlab/sort.hpp>
#include <thread>

#include "tests/library/inputs.hpp"
#include "tests/library/process_threads.hpp"

namespace sortlab::tests {
namespace {

bool sorts() {
  auto keys = keys_of<std::uint32_t>(kMany);
  auto items = keys;
  sortlab::sort(keys, {.threads = 4});
  sortlab::sort(items, [](auto a, auto b) { return a < b; }, {.threads = 4});
  return std::is_sorted(keys.begin(), keys.end()) && items == keys;
}

TEST(Threads, SortForSeveralCallersAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<int> sorted = 0;
  for (int i = 0; i < 4; ++i) callers.emplace_back([&] { sorted += sorts() + sorts(); });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(sorted, 8);
}

TEST(Threads, EndAndStartAgain) {
  end_threads();
  const std::size_t alone = threads_of_process();
  set_threads(3);
  EXPECT_EQ(threads(), 3);
  EXPECT_TRUE(sorts());
  EXPECT_EQ(threads_of_process(), alone + 2) << "4 were asked for, 3 are allowed";
  end_threads();
  EXPECT_EQ(threads_of_process(), alone);
  EXPECT_TRUE(sorts());
  set_threads(1);
  EXPECT_EQ(threads_of_process(), alone);
  EXPECT_TRUE(sorts());
  EXPECT_EQ(threads_of_process(), alone);
  set_threads(0);
  EXPECT_GE(threads(), 1);
}

TEST(Threads, EndWhileOthersSort) {
  std::atomic<bool> stops = false;
  std::atomic<int> wrong = 0;
  std::thread caller([&] {
    while (!stops) wrong += !sorts();
  });
  for (int i = 0; i < 20; ++i) {
    end_threads();
    std::this_thread::yield();
  }
  stops = true;
  caller.join();
  EXPECT_EQ(wrong, 0);
}

#if !defined(SORTLAB_SANITIZE_THREAD)  // which forbids threads in a forked child
TEST(Threads, StartAnewInAForkedChild) {
  ASSERT_TRUE(sorts());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool sorted = sorts();
    end_threads();
    _exit(sorted && sorts() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

TEST(Threads, RunASlotOfTheCallersEach) {
  std::vector<int> done(1000);
  sortlab_run(
      1000,
      [](void* context, int slot) {
        ++(*static_cast<std::vector<int>*>(context))[static_cast<std::size_t>(slot)];
      },
      &done);
  EXPECT_EQ(done, std::vector<int>(1000, 1));
}

}  // namespace
}  // namespace sortlab::tests
