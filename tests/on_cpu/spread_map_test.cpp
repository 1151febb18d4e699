// The map that spreads floats evenly, made by one block on the CPU: it must keep the order, give each key back, bring
// the bins of numbers close to the mean, and tell of each key that it has no number for.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <random>

#include "tests/on_cpu/spread_table.hpp"

namespace sortlab::tests {
namespace {

template <class Key>
using Draw = Key (*)(std::mt19937_64&);

template <class Key>
Key uniform(std::mt19937_64& random) {
  return static_cast<Key>(std::uniform_real_distribution<double>(0, 1)(random));
}
template <class Key>
Key normal(std::mt19937_64& random) {
  return static_cast<Key>(std::normal_distribution<double>(0, 1)(random));
}
template <class Key>
Key far_from_zero(std::mt19937_64& random) {
  return static_cast<Key>(std::uniform_real_distribution<double>(-300, -100)(random));
}

template <class Key>
std::vector<Key> make(Draw<Key> draw, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = draw(random);
  return keys;
}

/// Other keys than those that the table was made from: in order, each with a number of its own, and even.
template <class Key>
void expect_spread(Draw<Key> draw, KeyMap<BitsOf<Key>> key_map) {
  using Bits = BitsOf<Key>;
  constexpr unsigned kBinBits = 10;
  const auto weighing = weigh(make(draw, 1 << 17, 1), key_map);
  ASSERT_NE(weighing, nullptr);
  const SpreadMap<Bits> map{key_map, &weighing->table};
  std::vector<Bits> ordered;
  for (const Key key : make(draw, 1 << 17, 2)) {
    ordered.push_back(key_map.ordered(std::bit_cast<Bits>(key)));
  }
  std::sort(ordered.begin(), ordered.end());
  std::vector<std::size_t> bins(1 << kBinBits);
  Bits before = 0;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const Bits key = key_map.key(ordered[i]);
    const Bits number = map.ordered(key);
    ASSERT_LT(number, Spread<Bits>::kEscaped);
    ASSERT_EQ(map.key(number), key);
    ASSERT_EQ(map.between(number, number).key(number), key);
    if (i > 0) {
      ASSERT_EQ(number > before, ordered[i] > ordered[i - 1]);
      ASSERT_GE(number, before);
    }
    before = number;
    ++bins[static_cast<std::size_t>(number >> (8 * sizeof(Bits) - kBinBits))];
  }
  const std::size_t mean = ordered.size() >> kBinBits;
  EXPECT_LT(*std::max_element(bins.begin(), bins.end()), 2 * mean);
}

template <class Key>
class SpreadMapOf : public testing::Test {};
using Floats = testing::Types<float, double>;
TYPED_TEST_SUITE(SpreadMapOf, Floats);

TYPED_TEST(SpreadMapOf, KeepsTheOrderAndGivesKeysBack) {
  expect_spread<TypeParam>(uniform, gpu::key_map_of<TypeParam, Order::ascending>());
  expect_spread<TypeParam>(normal, gpu::key_map_of<TypeParam, Order::ascending>(true));
  expect_spread<TypeParam>(normal, gpu::key_map_of<TypeParam, Order::descending>());
  expect_spread<TypeParam>(far_from_zero, gpu::key_map_of<TypeParam, Order::descending>(true));
}

TYPED_TEST(SpreadMapOf, MayBeginAtZero) {
  // As bits, the numbers of [1, 2) are close together, far from the first of all.
  using Bits = BitsOf<TypeParam>;
  const auto keys = make<TypeParam>(
      [](std::mt19937_64& random) { return 1 + uniform<TypeParam>(random); }, 1 << 17, 1);
  const auto weighing = weigh(keys, KeyMap<Bits>{});
  ASSERT_NE(weighing, nullptr);
  const SpreadMap<Bits> map{{}, &weighing->table};
  for (std::size_t i = 0; i < keys.size(); i += 97) {
    const auto key = std::bit_cast<Bits>(keys[i]);
    ASSERT_EQ(map.key(map.ordered(key)), key);
  }
  EXPECT_EQ(map.key(map.ordered(Bits{0})), Bits{0});
}

TYPED_TEST(SpreadMapOf, HasNumbersForZerosAndTellsOfKeysFarFromTheSample) {
  using Bits = BitsOf<TypeParam>;
  constexpr auto kMap = gpu::key_map_of<TypeParam, Order::ascending>();
  const auto weighing = weigh(make<TypeParam>(normal, 1 << 17, 1), kMap);
  ASSERT_NE(weighing, nullptr);
  const SpreadMap<Bits> map{kMap, &weighing->table};
  const auto number = [&](TypeParam key) { return map.ordered(std::bit_cast<Bits>(key)); };
  const auto comes_back = [&](TypeParam key) {
    return map.key(number(key)) == std::bit_cast<Bits>(key) && number(key) < Spread<Bits>::kEscaped;
  };
  using Limits = std::numeric_limits<TypeParam>;
  for (const TypeParam key : {TypeParam{0}, -TypeParam{0}, TypeParam{1}, Limits::denorm_min(),
                              -Limits::denorm_min(), TypeParam{-20}}) {
    EXPECT_TRUE(comes_back(key)) << key;
  }
  EXPECT_LT(number(-TypeParam{0}), number(TypeParam{0}));
  for (const TypeParam key : {TypeParam{1e20f}, TypeParam{-1e20f}, Limits::infinity(),
                              TypeParam{1e-20f}, -Limits::infinity(), Limits::quiet_NaN()}) {
    EXPECT_EQ(number(key), Spread<Bits>::kEscaped) << key;
  }
}

TYPED_TEST(SpreadMapOf, IsNotMadeForKeysThatItCannotSpread) {
  constexpr auto kMap = gpu::key_map_of<TypeParam, Order::ascending>();
  EXPECT_EQ(weigh(std::vector<TypeParam>(5000, 0), kMap), nullptr);
  EXPECT_EQ(weigh(std::vector<TypeParam>(5000, 7), kMap), nullptr);
  auto half_zeros = make<TypeParam>(uniform, 1 << 17, 1);
  for (std::size_t i = 0; i < half_zeros.size(); i += 2) half_zeros[i] = 0;
  EXPECT_EQ(weigh(half_zeros, kMap), nullptr);
  auto few_values = make<TypeParam>(uniform, 1 << 17, 1);
  for (TypeParam& key : few_values) key = std::floor(key * 4096) / 4096;
  EXPECT_EQ(weigh(few_values, kMap), nullptr);
  // Any bits, infinities and NaNs among them.
  std::mt19937_64 random(3);
  std::vector<TypeParam> any(1 << 17);
  for (auto& key : any) key = std::bit_cast<TypeParam>(static_cast<BitsOf<TypeParam>>(random()));
  EXPECT_EQ(weigh(any, kMap), nullptr);
  EXPECT_EQ(weigh(make<TypeParam>(normal, 1 << 17, 1), kMap, 1.0f), nullptr);
}

}  // namespace
}  // namespace sortlab::tests
