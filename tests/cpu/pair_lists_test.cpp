// What cpu/radix/pairs keeps: lists of parts, which threads claim, and a table of few distinct keys.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "cpu/primitives/few_keys.hpp"
#include "cpu/radix/pairs/state.hpp"

namespace sortlab::cpu::radix::pairs {
namespace {

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

TEST(FewKeys, HaveSlotsAndOthersHaveNone) {
  primitives::FewKeys<std::uint32_t> few;
  std::uint32_t sample[] = {7, 9, 7, 11};
  ASSERT_TRUE(few.find(sample, 4));
  EXPECT_EQ(few.count(), 3u);
  EXPECT_NE(few.difference(few.slot_of(0), 0), 0u);  // zero marks empty slots
  for (const std::uint32_t key : {7, 9, 11}) EXPECT_EQ(few.difference(few.slot_of(key), key), 0u);
  ASSERT_TRUE(few.add(8) && few.add(0) && few.add(9) && few.give_slots());
  EXPECT_EQ(few.count(), 5u);
  for (std::size_t i = 0; i < few.count(); ++i) EXPECT_EQ(few.place_of(few.key(i)), i);
  for (std::size_t i = 1; i < few.count(); ++i) EXPECT_LT(few.key(i - 1), few.key(i));
  for (const std::uint32_t key : {0, 7, 8, 9, 11}) {
    EXPECT_EQ(few.difference(few.slot_of(key), key), 0u);
  }
}

TEST(FewKeys, AreTwoToSixtyFour) {
  primitives::FewKeys<std::uint64_t> few;
  std::vector<std::uint64_t> sample(1000, 7);
  EXPECT_FALSE(few.find(sample.data(), sample.size()));
  sample.back() = 8;
  EXPECT_TRUE(few.find(sample.data(), sample.size()));
  const auto many = [&](std::size_t distinct) {
    for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = 10 + i % distinct;
    return few.find(sample.data(), sample.size());
  };
  EXPECT_FALSE(many(65));
  EXPECT_TRUE(many(64));
  EXPECT_TRUE(few.add(20));
  EXPECT_FALSE(few.add(5));
}

}  // namespace
}  // namespace sortlab::cpu::radix::pairs
