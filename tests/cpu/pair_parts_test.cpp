// cpu/radix/pairs with buckets that are too large for a leaf, and its lists of parts.
#include "cpu/radix/pairs/state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "tests/cpu/pair_sorting.hpp"
#include "tests/effort.hpp"
#include "tests/forced_isa.hpp"

namespace sortlab::cpu::radix::pairs {
namespace {

const bool kReduced = kEffort == Effort::reduced;

template <class Key>
void expect_split_and_sorted(const std::vector<Key>& input, Order order = Order::ascending) {
  std::vector<PairRun> runs{{.threads = 3, .stream_from_mib = 0}};
  if (!kReduced) runs.push_back({.threads = 1});
  for (const Isa isa : isas_of_this_cpu()) runs.push_back({.threads = 4, .isa = isa});
  expect_pairs_sorted(input, runs, order);
}

/// Random keys, a part of which `special` makes.
template <class Key, class Special>
std::vector<Key> mixed(std::size_t n, double part, Special special) {
  std::mt19937_64 random(3);
  std::vector<Key> keys(n);
  for (auto& key : keys) {
    const bool is_special = static_cast<double>(random() >> 11) * 0x1p-53 < part;
    key = is_special ? special(random()) : static_cast<Key>(static_cast<std::int64_t>(random()));
  }
  return keys;
}

TEST(PairParts, SortsAroundAFrequentKey) {
  constexpr std::uint64_t kKey = 0x123456789ABCDEF;
  for (const double part : {0.3, 0.6, 0.999}) {
    if (kReduced && part != 0.6) continue;
    expect_split_and_sorted(mixed<std::uint64_t>(500'000, part, [&](auto) { return kKey; }));
  }
  // The others are less, greater, and on both sides.
  for (const std::uint64_t first : {kKey - 100, kKey, kKey + 1}) {
    if (kReduced && first != kKey) continue;
    expect_split_and_sorted(mixed<std::uint64_t>(400'000, 0.5, [&](std::uint64_t word) {
      return word % 4 > 0 ? kKey : first + word / 4 % 100;
    }));
  }
}

TEST(PairParts, RestoresAFrequentKeyFromBits) {
  expect_split_and_sorted(mixed<double>(400'000, 0.5, [](auto) { return -1.5; }));
  expect_split_and_sorted(mixed<std::int32_t>(400'000, 0.4, [](auto) { return -7; }),
                          Order::descending);
}

TEST(PairParts, SplitsBucketsByOneThreadAndByAll) {
  // Of 1.2 million pairs, one of four threads splits a bucket of 300,000; all split a larger one.
  for (const double part : {0.1, 0.2, 0.7}) {
    if (kReduced && part == 0.1) continue;
    expect_split_and_sorted(mixed<std::uint64_t>(1'200'000, part, [](std::uint64_t word) {
      return std::uint64_t{0x4242424242} << 24 | word % 100'000;
    }));
    if (kReduced) continue;
    expect_split_and_sorted(mixed<std::uint32_t>(1'200'000, part, [](std::uint64_t word) {
      return 0x42424200u + static_cast<std::uint32_t>(word % 200);
    }));
  }
}

TEST(PairParts, SplitsABucketAgainAndAgain) {
  // Each half of the keys lies within a 256th of the one before.
  expect_split_and_sorted(mixed<std::uint64_t>(1'000'000, 1.0, [](std::uint64_t word) {
    return word >> 8 * std::min(7, std::countr_zero(word | 128));
  }));
}

TEST(PartList, GivesEachPartToOneThread) {
  const auto list = std::make_unique<PartList>();
  list->clear();
  EXPECT_EQ(list->peek(), nullptr);
  EXPECT_EQ(list->claim(), nullptr);
  for (std::size_t i = 0; i < msd::kMaxBuckets; ++i)
    ASSERT_TRUE(list->push({.begin = i, .size = 1}));
  EXPECT_FALSE(list->push({}));
  std::vector<std::atomic<int>> claims(msd::kMaxBuckets);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      while (const Part* const part = list->claim()) ++claims[part->begin];
    });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& claimed : claims) ASSERT_EQ(claimed, 1);
  EXPECT_EQ(list->peek(), nullptr);
  EXPECT_EQ(list->claim(), nullptr);
}

TEST(PartList, OfLaterIsThatOfNowAfterATurn) {
  const auto parts = std::make_unique<PartLists>();
  parts->clear();
  parts->now().push({.begin = 1, .size = 1});
  parts->later().push({.begin = 2, .size = 1});
  ASSERT_NE(parts->now().claim(), nullptr);
  parts->turn();
  ASSERT_FALSE(parts->now().is_empty());
  EXPECT_EQ(parts->now().claim()->begin, 2u);
  EXPECT_TRUE(parts->later().is_empty());
}

}  // namespace
}  // namespace sortlab::cpu::radix::pairs
