// Keys with values of all widths, and argsort, against std::stable_sort.
#include <gtest/gtest.h>

#include <cmath>
#include <compare>
#include <numeric>
#include <sortlab/sort.hpp>
#include <span>

#include "library/host/calls.hpp"
#include "tests/library/inputs.hpp"

namespace sortlab::tests {
namespace {

/// The stable order of keys.
template <class Key>
std::vector<std::size_t> order_of(const std::vector<Key>& keys, Order order) {
  std::vector<std::size_t> index(keys.size());
  std::iota(index.begin(), index.end(), 0);
  std::stable_sort(index.begin(), index.end(), [&](std::size_t a, std::size_t b) {
    return order == Order::ascending ? comes_before(keys[a], keys[b])
                                     : comes_before(keys[b], keys[a]);
  });
  return index;
}

template <std::size_t kBytes>
struct Value {
  unsigned char bytes[kBytes];
};

template <class V>
V value_of(std::size_t i) {
  V value = {};
  std::memcpy(&value, &i, std::min(sizeof i, sizeof value));
  return value;
}

template <class Key, class V>
void expect_values_move(std::size_t n, Order order, std::size_t distinct) {
  const auto before = keys_of<Key>(n, distinct);
  const auto index = order_of(before, order);
  auto keys = before;
  std::vector<V> values(n), expected(n);
  for (std::size_t i = 0; i < n; ++i) {
    values[i] = value_of<V>(i);
    expected[i] = value_of<V>(index[i]);
  }
  sortlab::sort_by_key(keys, values, {.order = order});
  EXPECT_TRUE(same_bytes(values, expected))
      << n << " values of " << sizeof(V) << ", keys of " << sizeof(Key) << " bytes";
  for (std::size_t i = 0; i < n; ++i) ASSERT_FALSE(comes_before(keys[i], before[index[i]]));
}

template <class V>
struct ValuesTest : testing::Test {};
using ValueTypes = testing::Types<std::uint32_t, float, Value<1>, Value<3>, Value<4>, double,
                                  Value<16>, Value<40>>;
TYPED_TEST_SUITE(ValuesTest, ValueTypes);

TYPED_TEST(ValuesTest, MoveWithTheirKeys) {
  for (const std::size_t n : kSizes) {
    for (const Order order : {Order::ascending, Order::descending}) {
      expect_values_move<std::uint32_t, TypeParam>(n, order, 100);
      expect_values_move<double, TypeParam>(n, order, 0);
      expect_values_move<std::int8_t, TypeParam>(n, order, 0);
    }
  }
}

TEST(Values, OfFourBytesMayLieAnywhere) {
  constexpr std::size_t kN = 1000;
  std::vector<std::uint64_t> keys = keys_of<std::uint64_t>(kN);
  const auto index = order_of(keys, Order::ascending);
  std::vector<unsigned char> bytes(4 * kN + 1);
  const std::span values(reinterpret_cast<Value<4>*>(bytes.data() + 1), kN);
  for (std::size_t i = 0; i < kN; ++i) values[i] = value_of<Value<4>>(i);
  sortlab::sort_by_key(keys, values);
  for (std::size_t i = 0; i < kN; ++i) {
    const auto expected = value_of<Value<4>>(index[i]);
    ASSERT_EQ(std::memcmp(&values[i], &expected, 4), 0) << i;
  }
}

template <class Key>
struct ArgsortTest : testing::Test {};
using ArgsortKeys =
    testing::Types<std::uint8_t, std::int16_t, std::int32_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(ArgsortTest, ArgsortKeys);

TYPED_TEST(ArgsortTest, IsStableAndLeavesTheKeys) {
  for (const std::size_t n : kSizes) {
    for (const Order order : {Order::ascending, Order::descending}) {
      const auto keys = keys_of<TypeParam>(n, 50);
      const auto expected = order_of(keys, order);
      std::vector<std::size_t> wide(n);
      sortlab::argsort(keys, wide, {.order = order});
      EXPECT_EQ(wide, expected);
      std::vector<int> narrow(n);
      sortlab::argsort(keys, narrow, {.order = order});
      EXPECT_TRUE(
          std::equal(narrow.begin(), narrow.end(), expected.begin(),
                     [](int a, std::size_t b) { return static_cast<std::size_t>(a) == b; }));
    }
  }
}

TYPED_TEST(ArgsortTest, SortsMoreKeysThanFourBytesNumber) {
  using Key = TypeParam;
  constexpr int kType = detail::type_of<Key>();
  for (const std::size_t n : {10, 20'000}) {
    for (const Order order : {Order::ascending, Order::descending}) {
      const library::Settings settings{order, false, 2};
      const auto before = keys_of<Key>(n, 50);
      const auto expected = order_of(before, order);
      std::vector<std::size_t> index(n);
      const library::ArgsortCall argsort{{kType}, settings, before.data(), index.data(), n, 8, 9};
      std::vector<std::uint64_t> scratch(argsort.scratch_bytes() / 8);
      argsort.run(reinterpret_cast<std::byte*>(scratch.data()), argsort.scratch_bytes());
      EXPECT_EQ(index, expected);

      auto keys = before;
      std::vector<Value<3>> values(n), moved(n);
      for (std::size_t i = 0; i < n; ++i) {
        values[i] = value_of<Value<3>>(i);
        moved[i] = value_of<Value<3>>(expected[i]);
      }
      const library::PairsCall pairs{{kType}, settings, keys.data(), values.data(), n, 3, false, 9};
      scratch.resize(pairs.scratch_bytes() / 8);
      pairs.run(reinterpret_cast<std::byte*>(scratch.data()), pairs.scratch_bytes());
      EXPECT_TRUE(same_bytes(values, moved));
      EXPECT_FALSE(comes_before(keys[0], before[expected[0]]));
    }
  }
}

TEST(Argsort, TakesAllNansAsEqualIfTheyComeLast) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> keys = {nan, 1, -nan, 0.0, -0.0, nan, -2};
  std::vector<unsigned> order(keys.size());
  sortlab::argsort(keys, order, {.floats = Floats::nans_last});
  EXPECT_EQ(order, (std::vector<unsigned>{6, 3, 4, 1, 0, 2, 5}));
  sortlab::argsort(keys, order, {.order = Order::descending, .floats = Floats::nans_last});
  EXPECT_EQ(order, (std::vector<unsigned>{1, 3, 4, 6, 0, 2, 5}));
}

TEST(Values, MoveWithNansThatComeLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> keys = {-nan, 3, -1, -nan};
  std::vector<std::uint16_t> values = {0, 1, 2, 3};
  sortlab::sort_by_key(keys, values, {.floats = Floats::nans_last});
  EXPECT_EQ(values, (std::vector<std::uint16_t>{2, 1, 0, 3}));
}

}  // namespace
}  // namespace sortlab::tests
