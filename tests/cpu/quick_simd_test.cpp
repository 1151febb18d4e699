// Keys with one value that makes up at least half of them: cpu/quick/simd moves the others out. And keys of few values:
// it counts them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "cpu/primitives/simd/few_values.hpp"
#include "tests/cpu/sorting.hpp"

namespace sortlab {
namespace {

/// n keys: `share` percent of them are `most`, the others lie in [low, high].
template <class Key>
std::vector<Key> with_majority(std::size_t n, int share, Key most, Key low, Key high) {
  std::mt19937_64 random(n + static_cast<std::size_t>(share));
  std::uniform_int_distribution<Key> others(low, high);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = static_cast<int>(random() % 100) < share ? most : others(random);
  return keys;
}

template <class Key>
void check(const std::vector<Key>& input, const std::vector<int>& threads, const char* what) {
  SCOPED_TRACE(what);
  expect_sorted_by("cpu/quick/simd", input, runs_of(threads));
}

template <class Key>
class Majority : public testing::Test {};
using SignedWidths = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Majority, SignedWidths);

TYPED_TEST(Majority, IsLeftInItsPlace) {
  using Key = TypeParam;
  constexpr std::size_t n = 180'011;
  constexpr Key kLeast = std::numeric_limits<Key>::min(), kMost = std::numeric_limits<Key>::max();
  const std::vector<int> threads = {1, 3};
  for (const int share : {50, 95}) {
    check(with_majority<Key>(n, share, 7, kLeast, kMost), threads, "in the middle");
    check(with_majority<Key>(n, share, kLeast, kLeast, kMost), threads, "the least");
    check(with_majority<Key>(n, share, kMost, kLeast, kMost), threads, "the greatest");
  }
  check(with_majority<Key>(n, 60, 7, 6, 8), threads, "among neighbours");
}

TYPED_TEST(Majority, OfASampleAloneIsNoFault) {
  using Key = TypeParam;
  // Long runs of one key, so that many samples hit it, and two keys that share the rest.
  std::vector<Key> keys(200'003);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = i % 1000 < 500 ? 5 : static_cast<Key>(i * 7919 % 3);
  check(keys, {2}, "stretches");
}

TEST(MajorityOfFloats, IsSortedInTotalOrder) {
  std::mt19937 random(3);
  std::vector<float> keys(150'001);
  for (float& key : keys) {
    const auto word = random();
    key = word % 10 < 6 ? 0.0F : word % 10 == 6 ? -0.0F : static_cast<float>(random()) - 2e9F;
  }
  check(keys, {1, 2}, "zeros of both signs");
}

TYPED_TEST(Majority, OfNoKeyButFewDifferingBitsIsCounted) {
  using Key = TypeParam;
  constexpr int kAll = 8 * sizeof(Key);
  std::mt19937_64 random(5);
  for (const std::size_t n : {70'000, 100'003}) {
    for (const int low : {0, 9, kAll - 6}) {  // the sign, too
      std::vector<Key> keys(n);
      for (Key& key : keys)
        key = static_cast<Key>(random() % 64 << low | 3u << (low == 0 ? 20 : 0));
      for (const char* id : {"cpu/quick/simd", "cpu/radix/simd"}) {
        for (const Order order : {Order::ascending, Order::descending})
          expect_sorted_by(id, keys, runs_of({1, 3}), order);
      }
      keys[n / 2 + 77] = 1 << 15;
      check(keys, {1}, "one key that differs in other bits");
    }
  }
}

TEST(MajorityOfFloats, NumbersOfGroupsAreCounted) {
  std::mt19937_64 random(6);
  std::vector<float> keys(100'003);
  std::vector<double> wide(600'000);
  for (auto& key : keys) key = static_cast<float>(random() % 64) - 20;
  for (auto& key : wide) key = static_cast<double>(random() % 64) - 20;
  for (const Order order : {Order::ascending, Order::descending}) {
    for (const char* id : {"cpu/quick/simd", "cpu/radix/simd"}) {
      expect_sorted_by(id, keys, {{.threads = 1}, {.threads = 3}}, order);
      expect_sorted_by(id, wide, {{.threads = 1}}, order);
    }
  }
}

/// n keys of `values` values, the least and the greatest among them; one in `rare` is any other key.
template <class Key>
std::vector<Key> with_few_values(std::size_t n, unsigned values, unsigned rare) {
  std::mt19937_64 random(n + values + rare);
  std::vector<Key> some(values);
  for (Key& key : some) key = static_cast<Key>(random());
  some.front() = std::numeric_limits<Key>::min();
  some.back() = std::numeric_limits<Key>::max();
  std::vector<Key> keys(n);
  for (Key& key : keys) {
    key = rare != 0 && random() % rare == 0 ? static_cast<Key>(random()) : some[random() % values];
  }
  return keys;
}

TYPED_TEST(Majority, OrFewValuesAreSortedWithRareKeysToo) {
  using Key = TypeParam;
  for (const unsigned values : {3, 64, 65}) {
    for (const unsigned rare : {0, 2000, 20}) {
      check(with_few_values<Key>(120'011, values, rare), {1, 3}, "few values");
    }
  }
  auto keys = with_few_values<Key>(120'011, 20, 0);
  std::fill_n(keys.end() - 5000, 5000, Key{12});  // a value that few samples hit
  check(keys, {1, 3}, "a value at the end");
  keys = with_few_values<Key>(120'011, 30, 0);
  std::iota(keys.begin() + 50'000, keys.begin() + 60'000, Key{0});
  check(keys, {1, 3}, "many keys that the sample has missed");
  check(with_few_values<Key>(120'011, 1000, 0), {1, 3}, "more values");
}

TYPED_TEST(Majority, OrFewValuesAreCountedIfOtherKeysAreRare) {
  using Key = TypeParam;
  namespace simd = cpu::primitives::simd;
  const auto calls = simd::cache_calls<Key, false>(best_isa_of_cpu());
  simd::FewCounted counted[3];
  const auto sort_some = [&](std::vector<Key>& keys) {
    std::vector<Key> other(keys.size());
    return simd::sort_few_values(keys.data(), other.data(), keys.size(), 3, calls, Key{0},
                                 {counted, sizeof(counted[0])});
  };
  for (const unsigned rare : {0, 2000}) {
    auto keys = with_few_values<Key>(100'003, 64, rare), expected = keys;
    std::sort(expected.begin(), expected.end());
    EXPECT_TRUE(sort_some(keys)) << rare;
    EXPECT_EQ(keys, expected) << rare;
  }
  const auto expect_unchanged = [&](std::vector<Key> keys, const char* why) {
    const auto before = keys;
    EXPECT_FALSE(sort_some(keys)) << why;
    EXPECT_EQ(keys, before) << why;
  };
  expect_unchanged(with_few_values<Key>(100'003, 1000, 0), "many values");
  auto keys = with_few_values<Key>(100'003, 30, 0);
  std::iota(keys.begin() + 50'000, keys.begin() + 60'000, Key{0});
  expect_unchanged(keys, "too many keys that the sample has missed");
}

}  // namespace
}  // namespace sortlab
