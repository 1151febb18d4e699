// Medians, their intervals, two clusters, and the stop rule of sampling.
#include "common/harness/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace sortlab {
namespace {

/// 1, 2, ..., n: the value of a sample is its rank.
std::vector<double> ranks(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

/// The chance that the true median lies between the samples of these ranks: as many of n samples
/// are below it as n flips of a coin show heads.
double coverage(std::size_t n, double low_rank, double high_rank) {
  const auto count = static_cast<double>(n);
  double chance = 0;
  for (double heads = low_rank; heads < high_rank; ++heads) {
    chance += std::exp(std::lgamma(count + 1) - std::lgamma(heads + 1) -
                       std::lgamma(count - heads + 1) - count * std::log(2.0));
  }
  return chance;
}

TEST(Quantile, InterpolatesBetweenNeighbours) {
  EXPECT_DOUBLE_EQ(quantile({7}, 0.5), 7);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 10}, 0.5), 2);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 4, 10}, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 4, 10}, 0), 1);
  EXPECT_DOUBLE_EQ(quantile({1, 2, 4, 10}, 1), 10);
  EXPECT_DOUBLE_EQ(quantile({0, 10, 20, 30, 40}, 0.25), 10);
  EXPECT_DOUBLE_EQ(quantile({0, 10}, 0.75), 7.5);
}

TEST(MedianInterval, IsTheWholeRangeOfFewSamples) {
  for (std::size_t n = 1; n <= 6; ++n) {
    const Interval interval = median_interval(ranks(n));
    EXPECT_EQ(interval.low, 1);
    EXPECT_EQ(interval.high, static_cast<double>(n));
  }
}

TEST(MedianInterval, CoversTheMedianAsOftenAsItSays) {
  for (std::size_t n = 6; n <= 1000; ++n) {
    const Interval interval = median_interval(ranks(n));
    EXPECT_GE(coverage(n, interval.low, interval.high), 0.95) << n << " samples";
    if (n < 60) continue;
    EXPECT_LE(coverage(n, interval.low, interval.high), 0.98) << n << " samples";
  }
}

TEST(MedianInterval, HasTheRanksOfTheTables) {
  const Interval interval = median_interval(ranks(100));
  EXPECT_EQ(interval.low, 40);
  EXPECT_EQ(interval.high, 61);
}

TEST(Bimodal, SeesTwoClusters) {
  std::vector<double> samples;
  for (int i = 0; i < 10; ++i) samples.push_back(100 + 0.1 * i);
  for (int i = 0; i < 10; ++i) samples.push_back(130 + 0.1 * i);
  EXPECT_TRUE(is_bimodal(samples));
}

TEST(Bimodal, SeesNoneInOneCluster) {
  EXPECT_FALSE(is_bimodal(std::vector<double>(20, 5.0)));
  std::vector<double> even;
  for (int i = 0; i < 50; ++i) even.push_back(100 + i);
  EXPECT_FALSE(is_bimodal(even));
}

TEST(Bimodal, TakesAFewOutliersForNoise) {
  std::vector<double> samples;
  for (int i = 0; i < 30; ++i) samples.push_back(100 + 0.1 * i);
  samples.insert(samples.end(), {150, 151});
  EXPECT_FALSE(is_bimodal(samples));
}

TEST(Bimodal, DoesNotCareForTwoPercent) {
  std::vector<double> samples(10, 100.0);
  samples.insert(samples.end(), 10, 102.0);
  EXPECT_FALSE(is_bimodal(samples));
}

TEST(Bimodal, SaysNothingOfFewSamples) { EXPECT_FALSE(is_bimodal({1, 1, 1, 1, 9, 9, 9})); }

constexpr StopSettings kSettings{.min_samples = 3, .max_samples = 9, .accuracy = 0.01, .time_s = 1};

TEST(StopRule, StopsWhenTheMedianIsKnown) {
  StopRule rule(kSettings);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(rule.after(100, 0));
  EXPECT_EQ(rule.after(100, 0), "accuracy");
}

TEST(StopRule, StopsWhenTimeIsUp) {
  StopRule rule(kSettings);
  EXPECT_FALSE(rule.after(100, 5)) << "before the fewest samples";
  EXPECT_FALSE(rule.after(200, 5));
  EXPECT_EQ(rule.after(300, 5), "time limit");
}

TEST(StopRule, TakesFewerSamplesOfASlowSort) {
  const StopSettings settings{.min_samples = 5, .slow_min_samples = 3, .slow_s = 2, .time_s = 1};
  StopRule fast(settings), slow(settings);
  for (int i = 1; i < 5; ++i) EXPECT_FALSE(fast.after(1e9, i)) << i;
  EXPECT_EQ(fast.after(1e9, 5), "time limit");
  for (int i = 1; i < 3; ++i) EXPECT_FALSE(slow.after(2e9, 2 * i)) << i;
  EXPECT_EQ(slow.after(2e9, 6), "time limit");
}

TEST(StopRule, StopsAtTheMostSamples) {
  StopRule rule(kSettings);
  for (int i = 1; i < 9; ++i) EXPECT_FALSE(rule.after(100 * i, 0));
  EXPECT_EQ(rule.after(900, 0), "sample limit");
}

TEST(StopRule, StopsAfterOneSampleWhenOneIsTheMost) {
  StopRule rule({.min_samples = 1, .max_samples = 1, .accuracy = 0, .time_s = 10});
  EXPECT_EQ(rule.after(100, 0), "sample limit");
}

}  // namespace
}  // namespace sortlab
