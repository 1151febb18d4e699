// Keys alone: all types, directions and counts, against std::sort.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <compare>
#include <list>
#include <sortlab/sort.hpp>
#include <span>

#include "tests/library/inputs.hpp"

namespace sortlab::tests {
namespace {

enum class Colour : std::uint16_t {};

template <class Key>
struct KeysTest : testing::Test {};
using KeyTypes =
    testing::Types<char, signed char, unsigned char, char8_t, bool, short, unsigned short, char16_t,
                   int, unsigned, char32_t, wchar_t, long, unsigned long, long long,
                   unsigned long long, float, double, std::byte, Colour>;
TYPED_TEST_SUITE(KeysTest, KeyTypes);

template <class Key>
void expect_sorted(std::span<Key> keys, std::vector<Key> before, Order order) {
  std::sort(before.begin(), before.end(), [&](Key a, Key b) {
    return order == Order::ascending ? comes_before(a, b) : comes_before(b, a);
  });
  EXPECT_TRUE(same_bytes(std::vector<Key>(keys.begin(), keys.end()), before))
      << keys.size() << " keys of " << sizeof(Key) << " bytes";
}

TYPED_TEST(KeysTest, AreSortedAsStdSortDoes) {
  using Key = TypeParam;
  if constexpr (std::is_same_v<Key, bool>) {
    std::array keys = {true, false, true, false};
    sortlab::sort(keys);
    EXPECT_EQ(keys, (std::array{false, false, true, true}));
  } else {
    for (const std::size_t n : kSizes) {
      for (const std::size_t distinct : {0, 5}) {
        for (const Order order : {Order::ascending, Order::descending}) {
          const auto before = keys_of<Key>(n, distinct);
          auto keys = before;
          sortlab::sort(keys, {.order = order});
          expect_sorted<Key>(keys, before, order);
        }
      }
    }
  }
}

TEST(Sort, TakesRangesAndIterators) {
  std::vector<int> vector = {3, 1, 2};
  sortlab::sort(vector);
  EXPECT_EQ(vector, (std::vector{1, 2, 3}));
  sortlab::sort(vector.begin(), vector.end(), {.order = Order::descending});
  EXPECT_EQ(vector, (std::vector{3, 2, 1}));
  sortlab::sort(vector.begin(), vector.begin() + 2);
  EXPECT_EQ(vector, (std::vector{2, 3, 1}));
  sortlab::stable_sort(std::span(vector));
  EXPECT_EQ(vector, (std::vector{1, 2, 3}));
  sortlab::sort(vector, std::greater<>());
  EXPECT_EQ(vector, (std::vector{3, 2, 1}));
  sortlab::sort(vector.begin(), vector.end(), std::greater<>(), {.order = Order::descending});
  EXPECT_EQ(vector, (std::vector{1, 2, 3}));
  double array[] = {2.5, -1, 0};
  sortlab::sort(array);
  EXPECT_EQ(array[0], -1);
}

template <class Range>
concept Sortable = requires(Range& range) {
  sortlab::sort(range);
};
static_assert(Sortable<std::vector<int>> && Sortable<std::span<float>>);
static_assert(!Sortable<std::list<int>> && !Sortable<const std::vector<int>>);
static_assert(!Sortable<std::vector<long double>>, "no key: it takes a comparison");

template <class Float>
void expect_nans_last(Order order) {
  for (const std::size_t n : {std::size_t{5}, std::size_t{1000}, kMany}) {
    auto keys = keys_of<Float>(n);
    const auto nans =
        std::count_if(keys.begin(), keys.end(), [](Float key) { return std::isnan(key); });
    sortlab::sort(keys, {.order = order, .floats = Floats::nans_last});
    const auto numbers = keys.end() - nans;
    EXPECT_TRUE(std::all_of(numbers, keys.end(), [](Float key) { return std::isnan(key); }));
    EXPECT_TRUE(std::is_sorted(keys.begin(), numbers, [&](Float a, Float b) {
      return order == Order::ascending ? a < b : b < a;
    }));
  }
}

TEST(Sort, PutsNansLastIfAsked) {
  expect_nans_last<float>(Order::ascending);
  expect_nans_last<float>(Order::descending);
  expect_nans_last<double>(Order::ascending);
  expect_nans_last<double>(Order::descending);
}

TEST(Sort, ByLessKeepsTheOrderOfZerosIfItIsStable) {
  std::vector<double> keys = {0.0, -0.0, -1.0};
  sortlab::stable_sort(keys, std::less<>());
  EXPECT_FALSE(std::signbit(keys[1]));
  EXPECT_TRUE(std::signbit(keys[2]));
  sortlab::stable_sort(keys);
  EXPECT_TRUE(std::signbit(keys[1]));
}

TEST(Sort, PutsNansOfBothSignsLastWhereTheyAreMostKeys) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Order order : {Order::ascending, Order::descending}) {
    std::vector<float> keys = {nan, -nan, nan, 1, -nan, nan, nan};
    sortlab::sort(keys, {.order = order, .floats = Floats::nans_last});
    EXPECT_EQ(keys[0], 1);
  }
}

TEST(Sorter, SortsAgainAndAgain) {
  Sorter sorter({.order = Order::descending});
  for (const std::size_t n : {std::size_t{100}, kMany, std::size_t{0}, kMany / 2}) {
    const auto before = keys_of<std::uint64_t>(n);
    auto keys = before;
    sorter.sort(keys);
    expect_sorted<std::uint64_t>(keys, before, Order::descending);
    std::vector<std::uint32_t> order(n);
    sorter.argsort(before, order);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(before[order[i]], keys[i]);
    auto items = before;
    sorter.sort(items, [](auto a, auto b) { return a < b; });
    EXPECT_EQ(items, keys);
    Sorter moved = std::move(sorter);
    sorter = std::move(moved);
  }
}

}  // namespace
}  // namespace sortlab::tests
