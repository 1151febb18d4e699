// The models of `sortlab trace`: they sort, with the steps of the algorithms.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "tool/trace/model.hpp"

namespace sortlab::trace {
namespace {

constexpr std::size_t kMostKeys = 64;

Keys random_keys(std::size_t n, unsigned distinct) {
  std::mt19937 random(static_cast<unsigned>(1000 * n + distinct));
  Keys keys(n);
  for (auto& key : keys) key = random() % distinct;
  return keys;
}

/// Random keys, all different or few, and keys in order up and down, of all sizes.
std::vector<Keys> inputs() {
  std::vector<Keys> all;
  for (std::size_t n = 0; n <= kMostKeys; ++n) {
    for (const unsigned distinct : {1u, 3u, 100u}) all.push_back(random_keys(n, distinct));
    Keys sorted = random_keys(n, 100);
    std::sort(sorted.begin(), sorted.end());
    all.push_back(sorted);
    std::reverse(sorted.begin(), sorted.end());
    all.push_back(sorted);
  }
  return all;
}

/// log2(n), rounded up; 0 for n of 0 and 1.
std::size_t ceil_log2(std::size_t n) {
  return n < 2 ? 0 : static_cast<std::size_t>(std::bit_width(n - 1));
}

TEST(TraceTest, EachModelSorts) {
  for (const auto& name : algorithms()) {
    for (const auto& keys : inputs()) {
      const Trace trace = trace_of(name, keys);
      Keys sorted = keys;
      std::sort(sorted.begin(), sorted.end());
      EXPECT_EQ(trace.after(trace.steps.size()), sorted) << name << ", n = " << keys.size();
    }
  }
}

TEST(TraceTest, EachStepMovesEachKeyOnceAndCutsInOrder) {
  for (const auto& name : algorithms()) {
    for (const auto& keys : inputs()) {
      for (const auto& step : trace_of(name, keys).steps) {
        auto places = step.from;
        std::sort(places.begin(), places.end());
        for (std::size_t i = 0; i < places.size(); ++i) ASSERT_EQ(places[i], i) << name;
        ASSERT_EQ(places.size(), keys.size()) << name;
        for (std::size_t i = 0; i < step.cuts.size(); ++i) {
          ASSERT_GT(step.cuts[i], i == 0 ? 0 : step.cuts[i - 1]) << name;
          ASSERT_LT(step.cuts[i], keys.size()) << name;
        }
      }
    }
  }
}

TEST(TraceTest, TheNetworkHasTheStepsThatGpuBitonicLaunches) {
  for (const auto& keys : inputs()) {
    const auto stages = ceil_log2(keys.size());
    EXPECT_EQ(bitonic(keys).steps.size(), stages * (stages + 1) / 2);
  }
  EXPECT_EQ(bitonic(random_keys(64, 100)).comparisons(), 21u * 32);  // n / 2 in each step
}

TEST(TraceTest, TheNetworkComparesTheSamePlacesWhateverTheKeys) {
  const auto some = bitonic(random_keys(37, 100));
  const auto others = bitonic(random_keys(37, 3));
  ASSERT_EQ(some.steps.size(), others.steps.size());
  for (std::size_t i = 0; i < some.steps.size(); ++i) {
    EXPECT_EQ(some.steps[i].compared, others.steps[i].compared);
  }
}

TEST(TraceTest, MergesTakeLogarithmicallyManyPasses) {
  for (const auto& keys : inputs()) {
    const auto trace = merge(keys);
    EXPECT_EQ(trace.steps.size(), ceil_log2(keys.size()));
    for (const auto& step : trace.steps) EXPECT_LT(step.compared.size(), keys.size());
  }
  EXPECT_EQ(merge({1, 2, 3, 4, 5, 6, 7, 8}).comparisons(), 4u + 4 + 4);  // the left run is used up
}

TEST(TraceTest, QuicksortSplitsByTheMedianOfThree) {
  EXPECT_EQ(quick({7, 7, 7, 7}).steps.size(), 1u);  // equal keys are done at once
  const auto trace = quick({1, 2, 3, 4, 5, 6, 7});
  EXPECT_EQ(trace.steps.size(), 2u);  // the middle of keys in order is the median
  EXPECT_EQ(trace.comparisons(), 6u + 2 + 2);
  EXPECT_EQ(trace.steps.front().cuts, (std::vector<std::size_t>{3, 4}));
}

TEST(TraceTest, RadixTakesAPassForEachDigitOfTheGreatestKey) {
  EXPECT_EQ(radix({5, 9, 3}).steps.size(), 1u);
  EXPECT_EQ(radix({5, 10, 3}).steps.size(), 2u);
  EXPECT_EQ(radix({0, 0}).steps.size(), 0u);
  EXPECT_EQ(radix({5, 123, 3}).steps.size(), 3u);
  EXPECT_EQ(radix({42, 17}).comparisons(), 0u);
}

TEST(TraceTest, EqualKeysKeepTheirOrderWhereTheAlgorithmPromisesThat) {
  const Keys keys = random_keys(50, 4);
  for (const auto& name : {"merge", "quick", "radix"}) {
    const auto trace = trace_of(name, keys);
    std::vector<std::size_t> origin(keys.size());  // by place
    for (std::size_t i = 0; i < origin.size(); ++i) origin[i] = i;
    for (const auto& step : trace.steps) {
      std::vector<std::size_t> after(origin.size());
      for (std::size_t i = 0; i < after.size(); ++i) after[i] = origin[step.from[i]];
      origin = after;
    }
    for (std::size_t i = 1; i < origin.size(); ++i) {
      const bool equal = keys[origin[i - 1]] == keys[origin[i]];
      EXPECT_TRUE(!equal || origin[i - 1] < origin[i]) << name << ", place " << i;
    }
  }
}

TEST(TraceTest, TheTextHasALineForEachStep) {
  EXPECT_EQ(text_of(merge({3, 1, 2})),
            "merge, 3 keys: 2 steps, 3 comparisons, 4 moves\n\n"
            "input              3   1   2\n"
            "runs of 1 into 2   1.  3.| 2\n"
            "runs of 2 into 4   1   2.  3.\n");
}

}  // namespace
}  // namespace sortlab::trace
