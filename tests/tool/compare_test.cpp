// Comparison of two runs: the test, the interval, the pairing of configurations, and verdicts.
#include "tool/compare/compare.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

namespace sortlab {
namespace {

using Samples = std::vector<double>;

TEST(MannWhitneyTest, CountsPairs) {
  EXPECT_EQ(mann_whitney({1, 2}, {3, 4, 5}).u, 6);
  EXPECT_EQ(mann_whitney({3, 4, 5}, {1, 2}).u, 0);
  EXPECT_EQ(mann_whitney({1, 4}, {2, 3, 5}).u, 4);
  EXPECT_EQ(mann_whitney({1, 2, 2, 3}, {2, 3, 3, 4}).u, 13);
}

TEST(MannWhitneyTest, IsExactForFewSamples) {
  EXPECT_DOUBLE_EQ(mann_whitney({1, 2, 3}, {4, 5, 6}).p, 2.0 / 20);
  EXPECT_DOUBLE_EQ(mann_whitney({4, 5, 6}, {1, 2, 3}).p, 2.0 / 20);
  EXPECT_DOUBLE_EQ(mann_whitney({1, 2, 3, 4}, {5, 6, 7, 8}).p, 2.0 / 70);
  EXPECT_DOUBLE_EQ(mann_whitney({1, 2, 3, 5}, {4, 6, 7, 8}).p, 4.0 / 70);
  // The tables' critical values: U = 2 is significant at 5 % for 5 and 5 samples, U = 3 is not.
  EXPECT_DOUBLE_EQ(mann_whitney({1, 2, 3, 4, 7}, {5, 6, 8, 9, 10}).p, 8.0 / 252);
  EXPECT_GT(mann_whitney({1, 2, 3, 4, 8}, {5, 6, 7, 9, 10}).p, 0.05);
}

TEST(MannWhitneyTest, ExactIsWhatEnumerationSays) {
  constexpr int kFirst = 4, kSecond = 5, kAll = kFirst + kSecond;
  std::vector<double> us;
  std::vector<std::pair<Samples, Samples>> sets;
  for (unsigned mask = 0; mask < 1u << kAll; ++mask) {
    Samples first, second;
    for (int i = 0; i < kAll; ++i) (mask >> i & 1 ? second : first).push_back(i);
    if (second.size() != kSecond) continue;
    sets.emplace_back(first, second);
    us.push_back(mann_whitney(first, second).u);
  }
  ASSERT_EQ(sets.size(), 126u);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const double tail = std::min(us[i], kFirst * kSecond - us[i]);
    const auto low = std::count_if(us.begin(), us.end(), [&](double u) { return u <= tail; });
    const double p = std::min(1.0, 2 * static_cast<double>(low) / 126);
    EXPECT_DOUBLE_EQ(mann_whitney(sets[i].first, sets[i].second).p, p) << us[i];
  }
}

TEST(MannWhitneyTest, TiesNarrowTheVariance) {
  // U = 13, variance 16/12 (9 - 48/56), continuity 0.5: by hand.
  EXPECT_NEAR(mann_whitney({1, 2, 2, 3}, {2, 3, 3, 4}).p, 0.17204, 1e-5);
  EXPECT_EQ(mann_whitney({5, 5, 5}, {5, 5, 5}).p, 1);
}

TEST(MannWhitneyTest, ApproximationMeetsTheExact) {
  Samples first, second;
  for (int i = 0; i < 20; ++i) first.push_back(i), second.push_back(i + 4.5);
  const double exact = mann_whitney(first, second).p;
  EXPECT_LT(exact, 0.05);
  EXPECT_NEAR(mann_whitney(first, second, 1 + 1e-9).p, exact, 0.1 * exact);
  EXPECT_GT(mann_whitney(first, second, 4).p, 5 * exact) << "samples that depend on each other";
}

TEST(AutocorrelationTime, KnowsWhatDependsOnWhat) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise;
  Samples independent, slow;
  double level = 0;
  for (int i = 0; i < 2000; ++i) {
    independent.push_back(noise(random));
    level = 0.9 * level + noise(random);
    slow.push_back(level);
  }
  EXPECT_LT(autocorrelation_time(independent), 1.5);
  EXPECT_GT(autocorrelation_time(slow), 5);
  EXPECT_EQ(autocorrelation_time({1, 2, 3, 4, 5}), 1) << "too few to tell";
  EXPECT_EQ(autocorrelation_time(Samples(50, 7.0)), 1) << "all equal";
}

/// How often the interval holds the true ratio of two sets of samples that `draw` makes.
double coverage(double true_ratio, const std::function<Blocks(std::mt19937_64&, double)>& draw) {
  constexpr int kTrials = 2000;
  std::mt19937_64 random(12345);
  int held = 0;
  for (int i = 0; i < kTrials; ++i) {
    const Ratio ratio = ratio_of_medians(draw(random, 1000), draw(random, 1000 * true_ratio));
    held += ratio.interval.low <= true_ratio && true_ratio <= ratio.interval.high;
  }
  return static_cast<double>(held) / kTrials;
}

TEST(RatioOfMedians, IntervalHoldsTheTruthAsOftenAsItSays) {
  for (const int n : {5, 6, 9, 15, 40, 150}) {
    const double share = coverage(1.1, [n](auto& random, double median) {
      std::lognormal_distribution<double> noise(0, 0.05);
      Samples samples;
      for (int i = 0; i < n; ++i) samples.push_back(median * noise(random));
      return Blocks{samples};
    });
    EXPECT_GE(share, 0.945) << n << " samples";
    EXPECT_LE(share, n >= 100 ? 0.985 : 1) << n << " samples";
  }
}

TEST(RatioOfMedians, SamplesThatDependOnEachOtherWidenTheInterval) {
  const double share = coverage(1.0, [](auto& random, double median) {
    std::normal_distribution<double> noise(0, 0.01);
    Samples samples;
    double level = 0;
    for (int i = 0; i < 200; ++i) {
      level = 0.8 * level + noise(random);
      samples.push_back(median * std::exp(level));
    }
    return Blocks{samples};
  });
  EXPECT_GE(share, 0.9);  // about 0.5, if they were treated as independent
}

TEST(RatioOfMedians, BlocksThatDifferWidenTheInterval) {
  const double share = coverage(1.0, [](auto& random, double median) {
    std::normal_distribution<double> of_block(0, 0.03), noise(0, 0.005);
    Blocks blocks(5);
    for (auto& block : blocks) {
      const double level = median * std::exp(of_block(random));
      for (int i = 0; i < 20; ++i) block.push_back(level * std::exp(noise(random)));
    }
    return blocks;
  });
  EXPECT_GE(share, 0.94);
}

TEST(RatioOfMedians, OneDisturbedBlockOfFiveChangesLittle) {
  const Blocks base = {{100}, {101}, {99}, {100.5}, {99.5}};
  Blocks next = base;
  next[1] = {250};
  const Ratio ratio = ratio_of_medians(base, next);
  EXPECT_NEAR(ratio.value, 1, 0.005);
  EXPECT_LT(ratio.interval.high, 1.05);
  EXPECT_GT(ratio.interval.low, 0.95);
  next[2] = {250};
  EXPECT_GT(ratio_of_medians(base, next).interval.high, 1.5) << "but two of five tell something";
}

TEST(Judge, HasItsLimits) {
  const auto verdict = [](double low, double value, double high, double p = 0.001) {
    return judge({value, {low, high}, p, 1, value}, 0.05);
  };
  EXPECT_EQ(verdict(1.06, 1.1, 1.2), Change::slower);
  EXPECT_EQ(verdict(1.06, 1.1, 1.2, 0.1), Change::unclear);
  EXPECT_EQ(verdict(1.04, 1.1, 1.2), Change::unclear);
  EXPECT_EQ(verdict(0.8, 0.9, 0.95), Change::faster);
  EXPECT_EQ(verdict(0.8, 0.9, 0.96), Change::unclear);
  EXPECT_EQ(verdict(0.96, 1.0, 1.04), Change::same);
  EXPECT_EQ(verdict(1.01, 1.02, 1.03), Change::same) << "a change, but too small to matter";
  EXPECT_EQ(verdict(0.98, 1.03, 1.09), Change::same) << "10 % is ruled out";
  EXPECT_EQ(verdict(0.98, 1.03, 1.11), Change::unclear);
  EXPECT_EQ(verdict(1.02, 1.06, 1.09), Change::unclear);
}

SummaryRow configuration(std::size_t n, const Samples& samples = {}) {
  Config config;
  config.variant = "cpu/radix/naive";
  config.device = "CPU A";
  config.isa = "avx2";
  config.n = n;
  config.threads = 8;
  config.dist = {"uniform", ""};
  SummaryRow row;
  for (const auto& [name, value] : config.columns()) row.config[name] = value;
  row.status = "ok";
  if (!samples.empty()) row.blocks_ns = {samples};
  row.n_kept = samples.size();
  return row;
}

SummaryRow with(SummaryRow row, const std::string& column, const std::string& value) {
  row.config[column] = value;
  return row;
}

TEST(Pairing, WhatWasSortedMustBeTheSame) {
  for (const char* column :
       {"variant", "key_type", "value_bytes", "order", "n", "dist", "dist_param", "seed",
        "pinned_threads", "host_mem", "cache", "launch", "load"}) {
    const std::vector<SummaryRow> base = {configuration(10)};
    const std::vector<SummaryRow> next = {with(configuration(10), column, "other")};
    const Pairing pairing = pair_configurations(base, next);
    EXPECT_EQ(pairing.pairs.size(), 0u) << column;
    EXPECT_EQ(pairing.only_base.size(), 1u) << column;
    EXPECT_EQ(pairing.only_new.size(), 1u) << column;
  }
}

TEST(Pairing, BuildAndMachineMayDiffer) {
  for (const auto& column : columns_that_may_differ()) {
    if (column == "threads") continue;
    const std::vector<SummaryRow> base = {configuration(10)};
    const std::vector<SummaryRow> next = {with(configuration(10), column, "other")};
    EXPECT_EQ(pair_configurations(base, next).pairs.size(), 1u) << column;
  }
}

TEST(Pairing, ThreadsMayDifferBetweenMachinesOnly) {
  const std::vector<SummaryRow> base = {configuration(10)};
  const auto fewer = with(configuration(10), "threads", "2");
  const std::vector<SummaryRow> same_machine = {fewer}, other = {with(fewer, "device", "CPU B")};
  EXPECT_EQ(pair_configurations(base, same_machine).pairs.size(), 0u);
  EXPECT_EQ(pair_configurations(base, other).pairs.size(), 1u);
}

TEST(Pairing, TheNearestMatchGoesFirst) {
  const std::vector<SummaryRow> base = {configuration(10),
                                        with(configuration(10), "isa", "scalar")};
  const std::vector<SummaryRow> next = {with(configuration(10), "isa", "scalar"),
                                        with(configuration(10), "lib_version", "2")};
  const Pairing pairing = pair_configurations(base, next);
  ASSERT_EQ(pairing.pairs.size(), 2u);
  for (const auto& [b, n] : pairing.pairs) EXPECT_EQ(b->config.at("isa"), n->config.at("isa"));
}

TEST(Pairing, WhatIsAmbiguousStaysAlone) {
  const std::vector<SummaryRow> base = {with(configuration(10), "params", "a=1"),
                                        with(configuration(10), "params", "a=2")};
  const std::vector<SummaryRow> next = {with(configuration(10), "params", "a=3")};
  EXPECT_EQ(pair_configurations(base, next).pairs.size(), 0u);
}

/// A run of `configurations` with 2 % noise per sample and half a percent from run to run; those
/// with odd numbers take `factor` times as long.
std::vector<SummaryRow> run_of(std::size_t configurations, double factor, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> of_run(0, 0.005), noise(0, 0.02);
  std::vector<SummaryRow> rows;
  for (std::size_t i = 0; i < configurations; ++i) {
    const double level = 1e6 * std::exp(of_run(random)) * (i % 2 == 1 ? factor : 1);
    Samples samples;
    for (int k = 0; k < 25; ++k) samples.push_back(level * std::exp(noise(random)));
    rows.push_back(configuration(i + 1, samples));
  }
  return rows;
}

TEST(Compare, TheSameStaysTheSame) {
  const auto base = run_of(400, 1, 1), next = run_of(400, 1, 2);
  const Comparison comparison = compare(base, next, 0.05);
  EXPECT_GE(comparison.count(Change::same), 396u);
  EXPECT_EQ(comparison.count(Change::slower) + comparison.count(Change::faster), 0u);
  EXPECT_FALSE(comparison.got_worse());
}

TEST(Compare, FindsAPlantedSlowDown) {
  const auto base = run_of(400, 1, 3), next = run_of(400, 1.1, 4);
  const Comparison comparison = compare(base, next, 0.05);
  EXPECT_GE(comparison.count(Change::slower), 196u);
  EXPECT_GE(comparison.count(Change::same), 196u);
  EXPECT_TRUE(comparison.got_worse());
  for (std::size_t i = 0; i < 190; ++i) {  // worst first
    EXPECT_EQ(std::stoul(comparison.rows[i].next->config.at("n")) % 2, 0u);
    EXPECT_GE(comparison.rows[i].ratio.value, comparison.rows[i + 1].ratio.value);
  }
  const Comparison other_way = compare(next, base, 0.05);
  EXPECT_GE(other_way.count(Change::faster), 196u);
  EXPECT_FALSE(other_way.got_worse());
}

TEST(Compare, ANewFailureIsWorseThanAnySlowDown) {
  const std::vector<SummaryRow> base = {configuration(1, {10, 11, 12}), configuration(2)};
  auto next = base;
  next[0].status = "timeout";
  const Comparison comparison = compare(base, next, 0.05);
  ASSERT_EQ(comparison.rows.size(), 1u);
  EXPECT_EQ(comparison.rows[0].verdict, Change::failed);
  EXPECT_TRUE(comparison.got_worse());
  EXPECT_EQ(comparison.unmeasured.size(), 1u);
  EXPECT_FALSE(compare(next, base, 0.05).got_worse());
}

}  // namespace
}  // namespace sortlab
