// The suite's order of keys: ordered bits are a bijection that keeps it, and KeyLess agrees with
// them.
#include "common/contract/key_types.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "common/harness/input/random.hpp"
#include "tests/all_key_types.hpp"

namespace sortlab {
namespace {

template <class Key>
class KeyTypes : public testing::Test {};
TYPED_TEST_SUITE(KeyTypes, AllKeyTypes);

/// Keys in strictly ascending order, ends and neighbours of zero among them.
template <class Key>
std::vector<Key> ascending_extremes() {
  using Limits = std::numeric_limits<Key>;
  if constexpr (std::is_floating_point_v<Key>) {
    return {from_ordered_bits<Key>(0),  // -NaN with the largest payload
            -Limits::quiet_NaN(),
            -Limits::infinity(),
            Limits::lowest(),
            Key{-1.5},
            -Limits::min(),
            -Limits::denorm_min(),
            -Key{0},
            Key{0},
            Limits::denorm_min(),
            Limits::min(),
            Key{1.5},
            Limits::max(),
            Limits::infinity(),
            Limits::quiet_NaN(),
            from_ordered_bits<Key>(static_cast<BitsOf<Key>>(~BitsOf<Key>{0}))};
  } else if constexpr (std::is_signed_v<Key>) {
    return {Limits::min(), Limits::min() + 1, -2, -1, 0, 1, 2, Limits::max() - 1, Limits::max()};
  } else {
    return {0, 1, 2, Limits::max() / 2, Limits::max() / 2 + 1, Limits::max() - 1, Limits::max()};
  }
}

template <class Key>
std::vector<Key> extremes_and_random_keys() {
  auto keys = ascending_extremes<Key>();
  for (std::uint64_t i = 0; i < 300; ++i) {
    keys.push_back(from_ordered_bits<Key>(static_cast<BitsOf<Key>>(random_word(12345, 0, i))));
  }
  return keys;
}

template <class Key>
BitsOf<Key> bits(Key key) {
  return std::bit_cast<BitsOf<Key>>(key);
}

TYPED_TEST(KeyTypes, OrderedBitsRoundTrip) {
  for (const TypeParam key : extremes_and_random_keys<TypeParam>()) {
    EXPECT_EQ(bits(from_ordered_bits<TypeParam>(to_ordered_bits(key))), bits(key));
  }
}

TYPED_TEST(KeyTypes, RadixBitsRoundTrip) {
  for (const TypeParam key : extremes_and_random_keys<TypeParam>()) {
    const auto ascending = to_radix_bits<TypeParam, Order::ascending>(key);
    const auto descending = to_radix_bits<TypeParam, Order::descending>(key);
    EXPECT_EQ(bits(from_radix_bits<TypeParam, Order::ascending>(ascending)), bits(key));
    EXPECT_EQ(bits(from_radix_bits<TypeParam, Order::descending>(descending)), bits(key));
  }
}

TYPED_TEST(KeyTypes, OrderedBitsAscendWithTheKeys) {
  const auto keys = ascending_extremes<TypeParam>();
  EXPECT_EQ(to_ordered_bits(keys.front()), 0u);
  EXPECT_EQ(to_ordered_bits(keys.back()), std::numeric_limits<BitsOf<TypeParam>>::max());
  for (std::size_t i = 1; i < keys.size(); ++i) {
    EXPECT_LT(to_ordered_bits(keys[i - 1]), to_ordered_bits(keys[i])) << "at " << i;
  }
}

TYPED_TEST(KeyTypes, KeyLessAgreesWithRadixBitsInBothOrders) {
  const KeyLess<TypeParam, Order::ascending> less;
  const KeyLess<TypeParam, Order::descending> greater;
  const auto keys = extremes_and_random_keys<TypeParam>();
  for (const TypeParam a : keys) {
    for (const TypeParam b : keys) {
      EXPECT_EQ(less(a, b), (to_radix_bits<TypeParam, Order::ascending>(a) <
                             to_radix_bits<TypeParam, Order::ascending>(b)));
      EXPECT_EQ(greater(a, b), (to_radix_bits<TypeParam, Order::descending>(a) <
                                to_radix_bits<TypeParam, Order::descending>(b)));
    }
  }
}

TYPED_TEST(KeyTypes, AgreesWithTheNumericOrderWhereThereIsOne) {
  const KeyLess<TypeParam, Order::ascending> less;
  const auto keys = extremes_and_random_keys<TypeParam>();
  for (const TypeParam a : keys) {
    for (const TypeParam b : keys) {
      if (a < b) {
        EXPECT_TRUE(less(a, b)) << a << " < " << b;
        EXPECT_FALSE(less(b, a)) << a << " < " << b;
      }
    }
  }
}

TYPED_TEST(KeyTypes, NameTypeAndVisitAgree) {
  const KeyType type = key_type_of<TypeParam>();
  EXPECT_EQ(bytes_of(type), sizeof(TypeParam));
  EXPECT_TRUE(
      visit_key_type(type, [](auto key) { return std::is_same_v<decltype(key), TypeParam>; }));
}

}  // namespace
}  // namespace sortlab
