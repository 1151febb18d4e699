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

// ---- Few keys, which the headers sort themselves: the C interface says how.

sortlab_options as_given(const Options& options) {
  return {sizeof(sortlab_options),
          static_cast<std::int32_t>(options.order),
          static_cast<std::int32_t>(options.floats),
          options.threads,
          0,
          nullptr,
          0,
          nullptr};
}

template <class Key, class Value, class Index>
void expect_as_the_interface(const std::vector<Key>& keys, const Options& options) {
  const sortlab_options given = as_given(options);
  constexpr int kType = detail::type_of<Key>();
  const std::size_t n = keys.size();
  auto sorted = keys, expected = keys;
  sortlab::sort(sorted, options);
  ASSERT_EQ(::sortlab_sort(expected.data(), n, kType, &given), SORTLAB_SUCCESS);
  EXPECT_TRUE(same_bytes(sorted, expected)) << n << " keys of " << sizeof(Key) << " bytes";
  sorted = keys;
  sortlab::stable_sort(sorted.begin(), sorted.end(), options);
  EXPECT_TRUE(same_bytes(sorted, expected)) << n << " keys of " << sizeof(Key) << " bytes";
  sorted = keys;
  Sorter(options).sort(sorted);
  EXPECT_TRUE(same_bytes(sorted, expected)) << n << " keys of " << sizeof(Key) << " bytes";

  std::vector<Value> values(n), moved;
  for (std::size_t i = 0; i < n; ++i) std::memset(&values[i], static_cast<int>(i), sizeof(Value));
  moved = values;
  sorted = expected = keys;
  sortlab::sort_by_key(sorted, values, options);
  ASSERT_EQ(::sortlab_sort_pairs(expected.data(), moved.data(), n, kType, sizeof(Value), &given),
            SORTLAB_SUCCESS);
  EXPECT_TRUE(same_bytes(sorted, expected) && same_bytes(values, moved)) << n;

  std::vector<Index> order(n), expected_order(n);
  sortlab::argsort(keys, order, options);
  ASSERT_EQ(::sortlab_argsort(keys.data(), expected_order.data(), n, kType, sizeof(Index), &given),
            SORTLAB_SUCCESS);
  EXPECT_EQ(order, expected_order);
}

TYPED_TEST(KeysTest, OfWhichThereAreFewAreSortedAlike) {
  using Key = TypeParam;
  using Value = std::array<char, 3 * sizeof(Key)>;
  using Index = std::conditional_t<sizeof(Key) % 2 == 0, unsigned, std::size_t>;
  if constexpr (!std::is_same_v<Key, bool>) {
    for (std::size_t n = 0; n < 10; ++n) {
      for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
        for (const int options : {0, 1, 2, 3}) {
          expect_as_the_interface<Key, Value, Index>(
              keys_of<Key>(n, seed % 2 == 0 ? 3 : 0, seed),
              {.order = options % 2 == 0 ? Order::ascending : Order::descending,
               .floats = options < 2 ? Floats::total_order : Floats::nans_last,
               .threads = static_cast<int>(seed % 3)});
        }
      }
    }
  }
}

TEST(Keys, OfWhichThereAreFewAreSortedInEachPermutation) {
  for (std::size_t n = 2; n <= 8; ++n) {
    std::vector<short> all(n), keys, values, expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = all[i] = static_cast<short>(i);
    const int step = kSanitized && n > 6 ? 41 : 1;
    int number = 0;
    do {
      if (number++ % step != 0) continue;
      keys = all;
      sortlab::sort(keys);
      ASSERT_EQ(keys, expected);
      keys = values = all;
      sortlab::sort_by_key(keys, values);
      ASSERT_TRUE(keys == expected && values == expected);
    } while (std::next_permutation(all.begin(), all.end()));
  }
}

TEST(Keys, OfWhichThereAreFewHaveTheSameErrors) {
  std::vector<int> keys = {3, 1, 2}, values = {0, 1};
  std::vector<unsigned> order(3);
  const auto expect_refused = [&](const Options& options) {
    EXPECT_THROW(sortlab::sort(keys, options), std::invalid_argument);
    EXPECT_THROW(sortlab::sort_by_key(keys, order, options), std::invalid_argument);
    EXPECT_THROW(sortlab::argsort(keys, order, options), std::invalid_argument);
    EXPECT_THROW(Sorter(options).sort(keys), std::invalid_argument);
  };
  std::byte scratch[1];
  expect_refused({.threads = -1});
  expect_refused({.scratch = scratch});
  expect_refused({.order = static_cast<Order>(2)});
  expect_refused({.floats = static_cast<Floats>(2)});
  EXPECT_THROW(sortlab::sort_by_key(keys, values), std::invalid_argument);
  EXPECT_THROW(sortlab::argsort(values, order), std::invalid_argument);
  EXPECT_THROW(sortlab::sort(std::span<int>(static_cast<int*>(nullptr), 2)), std::invalid_argument);
  EXPECT_EQ(keys, (std::vector{3, 1, 2}));
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
