// The library at the beginning and the end of a process, in forked children, and where the system refuses memory and
// threads.
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <sortlab/sort.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/guest/system.hpp"
#include "tests/library/process_threads.hpp"

namespace sortlab::tests {
namespace {

/// What the calls sort.
struct Data {
  std::vector<std::uint32_t> keys = keys_of<std::uint32_t>(kMany);
  std::vector<std::uint16_t> narrow = keys_of<std::uint16_t>(kMany);
  std::vector<double> values = std::vector<double>(kMany, 1.0);
  std::vector<std::uint32_t> order = std::vector<std::uint32_t>(kMany);
  std::vector<std::string> items;

  Data() {
    for (const auto key : keys_of<std::uint32_t>(kItems)) items.push_back(std::to_string(key));
  }
  /// The same for the same items in any order.
  std::size_t sum() const {
    std::size_t sum = 0;
    for (const auto key : keys) sum += std::hash<std::uint64_t>()(key * 0x9E3779B97F4A7C15);
    for (const auto& item : items) sum += std::hash<std::string>()(item);
    return sum;
  }
};

struct Call {
  void (*sort)(Data&);
  bool (*is_right)(const Data&);
};
template <class T>
bool is_sorted(const std::vector<T>& items) {
  return std::is_sorted(items.begin(), items.end());
}
bool has_sorted_keys(const Data& data) { return is_sorted(data.keys); }
bool has_sorted_items(const Data& data) { return is_sorted(data.items); }
bool less(const std::string& a, const std::string& b) { return a < b; }

const Call kCalls[] = {
    {[](Data& data) { sortlab::sort(data.keys); }, has_sorted_keys},
    {[](Data& data) { sortlab::sort(data.narrow); },
     [](const Data& data) { return is_sorted(data.narrow); }},
    {[](Data& data) { sortlab::sort_by_key(data.keys, data.values); }, has_sorted_keys},
    {[](Data& data) { sortlab::argsort(data.keys, data.order); },
     [](const Data& data) {
       const auto before = [&](auto a, auto b) { return data.keys[a] < data.keys[b]; };
       return std::is_sorted(data.order.begin(), data.order.end(), before);
     }},
    {[](Data& data) { sortlab::sort(data.items, less); }, has_sorted_items},
    {[](Data& data) { sortlab::stable_sort(data.items, less); }, has_sorted_items},
    {[](Data& data) { Sorter().sort(data.keys); }, has_sorted_keys},
};
const Call& kByComparison = kCalls[4];

// ---- The end of a process ----

TEST(Exit, IsNoEndOfSorting) {
  EXPECT_TRUE(in_child([]() -> bool {
    std::atexit([] { _exit(sorts() ? 0 : 1); });  // called after what the first sort would destroy
    sorts();
    std::exit(2);
  }));
}

TEST(Exit, WaitsForNoDetachedThread) {
  EXPECT_TRUE(in_child([]() -> bool {
    static std::atomic<bool> is_sorting = false, is_right = true;
    std::atexit([] {
      for (int i = 0; i < 30; ++i) usleep(1000);
      _exit(is_right ? 0 : 1);
    });
    std::thread([] {
      for (;; is_sorting = true) {
        if (!sorts()) is_right = false;
      }
    }).detach();
    while (!is_sorting) std::this_thread::yield();
    std::exit(2);
  }));
}

// ---- Forks ----

/// Forks while another thread is at its n-th allocation of its first sort. False if it needs fewer.
bool forks_at_allocation(long n, bool& child_sorts) {
  std::atomic<bool> is_there = false, may_go_on = false, is_done = false;
  std::thread first([&] {
    at_call(n, [&] {
      is_there = true;
      while (!may_go_on) std::this_thread::yield();
      return false;
    });
    std::vector<int> few = {5, 3, 1, 2};
    sortlab::sort(few);
    sorts();
    is_done = true;
  });
  while (!is_there && !is_done) std::this_thread::yield();
  child_sorts = !is_there || in_child(sorts);
  may_go_on = true;
  first.join();
  return is_there;
}

TEST(Fork, MayBeInTheMiddleOfTheFirstSort) {
  bool is_early = true;
  for (long n = 0; is_early; n = 2 * n + 1) {
    // A process of its own, which says by its exit code 1 that a child failed, by 2 that n is too large.
    const pid_t process = fork();
    if (process == 0) {
      bool child_sorts = false;
      const bool has_forked = forks_at_allocation(n, child_sorts);
      _exit(!child_sorts ? 1 : has_forked ? 0 : 2);
    }
    int status = 0;
    waitpid(process, &status, 0);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) != 1) << "at allocation " << n;
    is_early = WEXITSTATUS(status) == 0;
  }
}

TEST(Fork, MayBeWithinAComparison) {
  EXPECT_TRUE(in_child([] {
    set_threads(2);
    std::atomic<int> comparisons = 0, good = 0;
    auto items = keys_of<std::uint32_t>(kItems);
    sortlab::sort(items, [&](auto a, auto b) {
      // On the caller's thread and on the team's, in chunks and in merges.
      if (++comparisons % 50'000 == 1) {
        good += static_cast<bool>(in_child([] { return sorts() && (end_threads(), sorts()); }));
      }
      return a < b;
    });
    MUST(comparisons > 50'000 && good == 1 + (comparisons - 1) / 50'000);
    return std::is_sorted(items.begin(), items.end());
  }));
}

// ---- Failures ----

bool has_all_signals() {
  sigset_t blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  for (int signal = 1; signal < 32; ++signal) {
    if (sigismember(&blocked, signal) != 0) return false;
  }
  return true;
}

/// A call that may fail for lack of memory alone.
bool works_or_throws(const Call& call, Data& data) {
  try {
    call.sort(data);
    return call.is_right(data);
  } catch (const std::bad_alloc&) {
    return true;
  }
}

TEST(Failures, OfTheFirstSortLeaveTheNextOne) {
  EXPECT_TRUE(in_child([] {
    const Data fresh;
    bool has_failed = true;
    for (long n = 0; has_failed; n += 1 + n / 8) {
      for (const Call& call : {kCalls[0], kByComparison}) {
        Data data = fresh;
        at_call(n, [] { return true; });
        const bool is_good = works_or_throws(call, data);
        has_failed = has_come();
        MUST(is_good && has_all_signals() && data.sum() == fresh.sum());
      }
    }
    return sorts();
  }));
}

TEST(Failures, OfEachCallLeaveTheNextOne) {
  EXPECT_TRUE(in_child([] {
    set_threads(3);
    const Data fresh;
    sorts();
    for (const Call& call : kCalls) {
      bool has_failed = true;
      long n = 0;
      for (; has_failed; ++n) {
        end_threads();
        release_memory();
        Data data = fresh;
        at_call(n, [] { return true; });
        const bool is_good = works_or_throws(call, data);
        has_failed = has_come();
        MUST(is_good && has_all_signals() && data.sum() == fresh.sum());
        end_threads();
        data = fresh;
        call.sort(data);
        MUST(call.is_right(data));
        kByComparison.sort(data);
        MUST(threads_of_process() == 3);
      }
      MUST(n > 1);
    }
    return true;
  }));
}

TEST(Failures, ToStartAThreadDoNotLast) {
  EXPECT_TRUE(in_child([] {
    set_threads(3);
    Data data;
    refuse_threads(true);
    kByComparison.sort(data);
    MUST(has_sorted_items(data) && threads_of_process() == 1);
    refuse_threads(false);
    for (int i = 0; i < 100 && threads_of_process() < 3; ++i) {
      usleep(20'000);
      data = Data();
      kByComparison.sort(data);
    }
    return threads_of_process() == 3;
  }));
}

}  // namespace
}  // namespace sortlab::tests
