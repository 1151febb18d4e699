// cpu/radix/pairs with few distinct keys, and with keys that have few distinct values only in a
// sample.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "cpu/radix/pairs/few_keys.hpp"
#include "tests/cpu/pair_sorting.hpp"

namespace sortlab::cpu::radix::pairs {
namespace {

template <class Key>
std::vector<Key> random_keys(std::size_t n, std::size_t distinct) {
  std::mt19937_64 random(1);
  std::vector<Key> all(distinct), keys(n);
  for (auto& key : all) key = static_cast<Key>(static_cast<std::int64_t>(random()));
  for (auto& key : keys) key = all[random() % distinct];
  return keys;
}

/// On one thread and on four, with and without stores that bypass the caches.
template <class Key>
void expect_sorted(const std::vector<Key>& input, Order order = Order::ascending) {
  std::vector<PairRun> runs;
  for (const int threads : {1, 4}) {
    for (const int mib : {0, 32}) runs.push_back({.threads = threads, .stream_from_mib = mib});
  }
  expect_pairs_sorted(input, runs, order);
}

TEST(PairFewKeys, SortsTheMostKeysThereMayBe) {
  for (const std::size_t distinct : {2, 3, 16, 63, 64, 65}) {
    expect_sorted(random_keys<std::uint32_t>(70'001, distinct));
  }
  expect_sorted(random_keys<std::uint64_t>(65'536, 64));
  expect_sorted(random_keys<std::int64_t>(100'000, 20));
}

TEST(PairFewKeys, RestoresKeysFromBits) {
  expect_sorted(random_keys<double>(70'000, 30));
  expect_sorted(random_keys<float>(70'000, 30), Order::descending);
  expect_sorted(random_keys<std::int32_t>(70'000, 5), Order::descending);
}

TEST(PairFewKeys, SortsKeysThatASampleMissed) {
  for (const std::size_t stray : {1, 35'000, 69'999}) {
    auto keys = random_keys<std::uint32_t>(70'000, 16);
    keys[stray] = 12'345;
    expect_sorted(keys);
    keys[stray] = 0;
    expect_sorted(keys);
  }
}

/// Whether the pairs of these keys count as pairs with few keys. If not, they have not changed.
bool are_few(const std::vector<std::uint32_t>& input, int threads) {
  using Pairs = Items<std::uint32_t, std::uint32_t>;
  std::vector<std::uint32_t> keys = input, values(input.size());
  std::iota(values.begin(), values.end(), 0u);
  std::vector<std::byte> via(input.size() * 8 + kLineBytes);
  const auto states = std::make_unique<PairState<Pairs>[]>(static_cast<std::size_t>(threads));
  const bool few = sort_few_keys<Pairs>({keys.data(), values.data(), load_bits<std::uint32_t>},
                                        via.data(), Pairs{keys.data(), values.data()}, keys.size(),
                                        threads, states.get(), false, nullptr);
  if (few) {
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  } else {
    EXPECT_EQ(keys, input);
  }
  return few;
}

TEST(PairFewKeys, CountsAgainForAFewMissedKeysButNotForMany) {
  for (const int threads : {1, 4}) {
    auto keys = random_keys<std::uint32_t>(70'000, 16);
    EXPECT_TRUE(are_few(keys, threads));
    for (std::uint32_t i = 0; i < 3; ++i) keys[20'001 * i + 1] = 100 + i;
    EXPECT_TRUE(are_few(keys, threads));
    for (std::uint32_t i = 0; i < 20; ++i) keys[501 * i + 1] = 200 + i;
    EXPECT_TRUE(are_few(keys, threads)) << "they are noted together";
    for (std::uint32_t i = 0; i < 60; ++i) keys[1001 * i + 1] = 100 + i;
    EXPECT_FALSE(are_few(keys, threads));
  }
}

TEST(PairFewKeys, TellsZeroFromAnEmptySlot) {
  FewKeys<std::uint32_t> few;
  std::uint32_t sample[] = {7, 9, 7, 11};
  ASSERT_TRUE(few.find(sample, 4));
  EXPECT_EQ(few.count(), 3u);
  EXPECT_NE(few.difference(few.slot_of(0), 0), 0u);
  for (const std::uint32_t key : {7, 9, 11}) EXPECT_EQ(few.difference(few.slot_of(key), key), 0u);
  ASSERT_TRUE(few.add(8) && few.add(0) && few.add(9) && few.give_slots());
  EXPECT_EQ(few.count(), 5u);
  for (std::size_t i = 1; i < few.count(); ++i) EXPECT_LT(few.key(i - 1), few.key(i));
  for (const std::uint32_t key : {0, 7, 8, 9, 11}) {
    EXPECT_EQ(few.difference(few.slot_of(key), key), 0u);
  }
}

TEST(PairFewKeys, HasRoomForSixtyFour) {
  FewKeys<std::uint64_t> few;
  std::vector<std::uint64_t> sample(64);
  std::iota(sample.begin(), sample.end(), 10u);
  ASSERT_TRUE(few.find(sample.data(), sample.size()));
  EXPECT_TRUE(few.add(20));
  EXPECT_FALSE(few.add(5));
}

}  // namespace
}  // namespace sortlab::cpu::radix::pairs
