// Child processes in which nothing was sorted yet, and a system that refuses.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <sortlab/sort.hpp>
#include <vector>

#include "tests/library/inputs.hpp"

namespace sortlab::tests {

/// Whether f() returns true in a child process within half a minute.
testing::AssertionResult in_child(const std::function<bool()>& f);

/// Calls event() in the midst of the n-th call from now on that allocates or maps memory or starts a thread, of all
/// threads. If it returns true, that call fails.
void at_call(long n, std::function<bool()> event);
/// Whether that call has come; no further one is waited for.
bool has_come();

/// From now on no thread starts, or threads start again.
void refuse_threads(bool refused);

/// From now on sched_getaffinity() fails with this error number; with EINVAL only for masks of fewer than 8192 CPUs,
/// and others get a mask of CPUs 0, 2000 and 8000.
void refuse_affinity(int error);

constexpr std::size_t kItems = 10'000;  // enough for several threads

/// Sorts few keys, many keys and items. Whether the results are right.
inline bool sorts() {
  auto keys = keys_of<std::uint32_t>(kMany), items = keys_of<std::uint32_t>(kItems);
  std::vector<int> few = {5, 3, 1, 2};
  sortlab::sort(few);
  sortlab::sort(keys);
  sortlab::sort(items, [](auto a, auto b) { return a < b; }, {.threads = 2});
  return std::is_sorted(few.begin(), few.end()) && std::is_sorted(keys.begin(), keys.end()) &&
         std::is_sorted(items.begin(), items.end());
}

// To be used in a function for in_child().
#define MUST(condition)                                                    \
  do {                                                                     \
    if (!(condition)) {                                                    \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      return false;                                                        \
    }                                                                      \
  } while (false)

}  // namespace sortlab::tests
