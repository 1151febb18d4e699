// Execution policies: the calls of sortlab/execution.hpp, and the threads on which they sort.
#include <gtest/gtest.h>

#include <algorithm>
#include <sortlab/execution.hpp>
#include <stdexcept>

#include "tests/library/inputs.hpp"
#include "tests/library/process_threads.hpp"

namespace sortlab::tests {
namespace {

using Ints = std::vector<int>;

template <class Policy>
void expect_calls_sort(const Policy& policy) {
  Ints keys = {3, 1, 2};
  const auto expect = [&](const Ints& sorted) {
    EXPECT_EQ(keys, sorted);
    keys = {3, 1, 2};
  };
  sortlab::sort(policy, keys);
  expect({1, 2, 3});
  sortlab::sort(policy, keys, {.order = Order::descending});
  expect({3, 2, 1});
  sortlab::sort(policy, keys, std::greater<>());
  expect({3, 2, 1});
  sortlab::sort(policy, keys.begin(), keys.end());
  expect({1, 2, 3});
  sortlab::sort(policy, keys.begin(), keys.end(), std::greater<>());
  expect({3, 2, 1});
  sortlab::stable_sort(policy, keys);
  expect({1, 2, 3});
  sortlab::stable_sort(policy, keys, std::greater<>());
  expect({3, 2, 1});
  sortlab::stable_sort(policy, keys.begin() + 1, keys.end());
  expect({3, 1, 2});
  sortlab::stable_sort(policy, keys.begin(), keys.end(), std::greater<>());
  expect({3, 2, 1});
  std::vector<double> values = {0.3, 0.1, 0.2};
  sortlab::sort_by_key(policy, keys, values);
  EXPECT_EQ(values, (std::vector{0.1, 0.2, 0.3}));
  expect({1, 2, 3});
  sortlab::sort_by_key(policy, keys.begin(), keys.begin() + 2, values.data());
  EXPECT_EQ(values, (std::vector{0.2, 0.1, 0.3}));
  expect({1, 3, 2});
}

TEST(Execution, PoliciesTakeAllCalls) {
  expect_calls_sort(std::execution::seq);
  expect_calls_sort(std::execution::unseq);
  expect_calls_sort(std::execution::par);
  expect_calls_sort(std::execution::par_unseq);
}

/// How many threads the library starts if 4 may sort.
template <class Policy>
std::size_t threads_started(const Policy& policy) {
  end_threads();
  const std::size_t before = threads_of_process();
  auto items = keys_of<std::uint32_t>(kMany);
  sortlab::sort(policy, items, [](auto a, auto b) { return a < b; });
  EXPECT_TRUE(std::is_sorted(items.begin(), items.end()));
  return threads_of_process() - before;
}

TEST(Execution, SeqStaysOnItsThreadAndParDoesNot) {
  set_threads(4);
  EXPECT_EQ(threads_started(std::execution::seq), 0u);
  EXPECT_EQ(threads_started(std::execution::unseq), 0u);
  EXPECT_EQ(threads_started(std::execution::par), 3u);
  EXPECT_EQ(threads_started(std::execution::par_unseq), 3u);
  set_threads(0);
}

TEST(Execution, ThrowsWhatAComparisonThrows) {
  Ints items = {3, 1, 2};
  const auto less = [](int, int) -> bool { throw std::runtime_error("no order"); };
  EXPECT_THROW(sortlab::sort(std::execution::par, items, less), std::runtime_error);
}

template <class Policy>
concept TakenAsPolicy = requires(Policy policy, Ints& keys) {
  sortlab::sort(policy, keys);
};
static_assert(TakenAsPolicy<std::execution::parallel_policy>);
static_assert(!TakenAsPolicy<int> && !TakenAsPolicy<Ints>);

}  // namespace
}  // namespace sortlab::tests
