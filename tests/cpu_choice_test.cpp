// What cpu/auto/auto chooses, and that what it chooses sorts.
#include <gtest/gtest.h>

#include "common/check.hpp"
#include "common/variant.hpp"
#include "cpu/auto/choice.hpp"

namespace sortlab {
namespace {
using namespace cpu_auto;

Rung rung(const Situation& situation) { return choose(situation, RungSet::all()); }

Situation keys(std::size_t n, std::size_t key_bytes = 4, int threads = 1, Isa isa = Isa::avx512) {
  return {.n = n, .key_bytes = key_bytes, .threads = threads, .isa = isa};
}

TEST(CpuChoice, GivesPairsToTheOneSortThatTakesThem) {
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
    for (const std::size_t n : {0, 1, 1000, 1 << 17, 1 << 27}) {
      Situation situation = keys(n, 8, 16, isa);
      situation.pairs = true;
      EXPECT_EQ(rung(situation), Rung::hybrid) << n;
    }
  }
}

TEST(CpuChoice, GoesBySizeAndWidth) {
  EXPECT_EQ(rung(keys(0)), Rung::quick);
  EXPECT_EQ(rung(keys(64)), Rung::quick);
  EXPECT_EQ(rung(keys(1024)), Rung::bitonic);
  EXPECT_EQ(rung(keys(1 << 24)), Rung::quick);
  EXPECT_EQ(rung(keys(1024, 8)), Rung::bitonic);
  EXPECT_EQ(rung(keys(1000, 8)), Rung::quick) << "padding would cost the network too much";
}

TEST(CpuChoice, GoesByThreads) {
  EXPECT_EQ(rung(keys(1 << 18)), Rung::quick);
  EXPECT_EQ(rung(keys(1 << 18, 4, 16)), Rung::merge);
  EXPECT_EQ(rung(keys(1 << 16, 8, 16)), Rung::hybrid);
  EXPECT_EQ(rung(keys(1 << 20, 4, 16)), Rung::quick);
  EXPECT_EQ(rung(keys(1 << 20, 8, 16)), Rung::quick);
}

TEST(CpuChoice, GoesByTheCpu) {
  EXPECT_EQ(rung(keys(1 << 20, 4, 1, Isa::scalar)), Rung::hybrid);
  EXPECT_EQ(rung(keys(1 << 20, 8, 1, Isa::avx2)), Rung::hybrid);
  EXPECT_EQ(rung(keys(1 << 20, 4, 1, Isa::avx2)), Rung::quick);
  Situation situation = keys(1 << 20, 8);
  EXPECT_EQ(rung(situation), Rung::quick);
  situation.amd = true;
  EXPECT_EQ(rung(situation), Rung::hybrid);
}

TEST(CpuChoice, GoesByAFirstLook) {
  Situation situation = keys(1 << 26, 4, 16);
  situation.reversed = true;
  EXPECT_EQ(rung(situation), Rung::hybrid);
}

TEST(CpuChoice, TakesNoneThatIsNotThere) {
  RungSet there;
  there.add(Rung::quick);
  there.add(Rung::hybrid);
  EXPECT_EQ(choose(keys(1024), there), Rung::quick);
  EXPECT_EQ(choose(keys(1 << 18, 4, 16), there), Rung::quick);
}

TEST(CpuChoice, ChoosesOnlySortsThatHoldWhatAutoPromises) {
  const Variant* const chooser = find_variant("cpu/auto/auto");
  ASSERT_NE(chooser, nullptr);
  EXPECT_EQ(chooser->unavailable(), "");
  for (const auto id : kIds) {
    const Variant* const variant = find_variant(id);
    if (variant == nullptr) continue;
    EXPECT_TRUE(variant->info.total_order) << id;
    EXPECT_EQ(variant->info.temp_policy, "prealloc") << id;
    EXPECT_TRUE(chooser->info.alternate || !variant->info.alternate) << id;
  }
  EXPECT_TRUE(find_variant("cpu/radix/hybrid")->info.stable) << "it sorts the pairs";
}

TEST(CpuAuto, SortsOnBothSidesOfItsThresholds) {
  for (const KeyType type : {KeyType::u32, KeyType::f64}) {
    for (const Order order : {Order::ascending, Order::descending}) {
      for (const std::size_t n : {127, 383, 384, 512, 8193, 50'000, 1 << 20}) {
        for (const char* dist : {"uniform", "reverse", "sorted"}) {
          Config config;
          config.variant = "cpu/auto/auto";
          config.key_type = type;
          config.order = order;
          config.dist = parse_distribution(dist);
          config.n = n;
          config.threads = n < 10'000 ? 1 : 9;
          EXPECT_EQ(check_sort(config, 1), "") << config.benchmark_name();
        }
      }
    }
  }
}

}  // namespace
}  // namespace sortlab
