// Keys with values, and argsort, where equal keys may change places: the same keys as ever, each with a value
// that it had.
#include <gtest/gtest.h>

#include <sortlab/sort.hpp>

#include "tests/library/inputs.hpp"

namespace sortlab::tests {
namespace {

template <class Key>
struct AnyOrder : testing::Test {};
using KeyTypes = testing::Types<std::uint32_t, std::int32_t, float, std::uint64_t, std::int64_t,
                                double, std::int8_t, std::uint16_t>;
TYPED_TEST_SUITE(AnyOrder, KeyTypes);

/// Whether the numbers are 0, 1, ... in some order, and number `keys` as `before` does.
template <class Key, class Number>
void expect_numbered(const std::vector<Key>& keys, const std::vector<Number>& numbers,
                     const std::vector<Key>& before) {
  std::vector<bool> seen(before.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto place = static_cast<std::size_t>(numbers[i]);
    ASSERT_LT(place, before.size());
    ASSERT_FALSE(seen[place]) << "twice";
    seen[place] = true;
    ASSERT_EQ(std::memcmp(&keys[i], &before[place], sizeof(Key)), 0) << i << " of " << keys.size();
  }
}

template <class Number, class Key>
void expect_pairs(const std::vector<Key>& before, const Options& options) {
  auto keys = before, expected = before;
  std::vector<Number> numbers(before.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<Number>(i);
  sortlab::sort_by_key(keys, numbers, options);
  sortlab::sort(expected, options);
  if (keys.empty()) return;
  EXPECT_EQ(std::memcmp(keys.data(), expected.data(), keys.size() * sizeof(Key)), 0);
  expect_numbered(keys, numbers, before);
}

TYPED_TEST(AnyOrder, KeepsEachKeyWithItsValue) {
  for (const std::size_t n : kSizes) {
    for (const std::size_t distinct : {std::size_t{0}, std::size_t{1}, std::size_t{40}}) {
      const auto before = keys_of<TypeParam>(n, distinct);
      for (const Order order : {Order::ascending, Order::descending}) {
        for (const int threads : {1, 2}) {
          const Options options{.order = order, .threads = threads, .any_order = true};
          expect_pairs<std::uint32_t>(before, options);
          expect_pairs<std::uint64_t>(before, options);
        }
      }
    }
  }
}

TYPED_TEST(AnyOrder, FindsAnOrderOfTheKeys) {
  for (const std::size_t n : kSizes) {
    const auto before = keys_of<TypeParam>(n, n / 3);
    for (const Order order : {Order::ascending, Order::descending}) {
      std::vector<std::uint32_t> index(n);
      sortlab::argsort(before, index, {.order = order, .threads = 1, .any_order = true});
      std::vector<TypeParam> keys(n);
      for (std::size_t i = 0; i < n; ++i) keys[i] = before[index[i]];
      expect_numbered(keys, index, before);
      for (std::size_t i = 1; i < n; ++i) {
        ASSERT_FALSE(order == Order::ascending ? comes_before(keys[i], keys[i - 1])
                                               : comes_before(keys[i - 1], keys[i]));
      }
    }
  }
}

TYPED_TEST(AnyOrder, SortsNarrowRangesAtBothEndsAndOneKeyFarOff) {
  if constexpr (std::is_integral_v<TypeParam> && sizeof(TypeParam) >= 4) {
    using Limits = std::numeric_limits<TypeParam>;
    for (const TypeParam first : {Limits::min(), static_cast<TypeParam>(Limits::max() - 60)}) {
      std::vector<TypeParam> keys(20'000);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i] = static_cast<TypeParam>(first + static_cast<TypeParam>(i * 7 % 61));
      }
      const Options options{.threads = 1, .any_order = true};
      expect_pairs<std::uint32_t>(keys, options);
      for (const TypeParam other : {Limits::min(), TypeParam{1000}, Limits::max()}) {
        keys[12'345] = other;
        expect_pairs<std::uint32_t>(keys, options);
      }
    }
  }
}

/// The sorts that may change places have one thread. Two threads get more from the stable one.
TEST(AnyOrderOption, GetsTheStableSortOnSeveralThreads) {
  constexpr std::size_t kWorthThreads = 60'000;
  const auto before = keys_of<std::uint32_t>(kWorthThreads, 10);
  for (const int threads : {2, 3, 4, 5}) {
    auto keys = before, stable_keys = before;
    std::vector<std::uint32_t> numbers(before.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
    auto stable_numbers = numbers;
    sortlab::sort_by_key(keys, numbers, {.threads = threads, .any_order = true});
    sortlab::sort_by_key(stable_keys, stable_numbers, {.threads = threads});
    EXPECT_EQ(numbers, stable_numbers) << threads << " threads";
  }
}

TEST(AnyOrderOption, YieldsToStable) {
  const auto before = keys_of<std::uint32_t>(5000, 10);
  auto keys = before;
  std::vector<std::uint32_t> numbers(before.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::uint32_t>(i);
  sortlab::sort_by_key(keys, numbers, {.stable = true, .threads = 1, .any_order = true});
  for (std::size_t i = 1; i < keys.size(); ++i) {
    ASSERT_TRUE(keys[i - 1] < keys[i] || numbers[i - 1] < numbers[i]);
  }
}

}  // namespace
}  // namespace sortlab::tests
