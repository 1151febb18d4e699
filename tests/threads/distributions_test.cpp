// Compares each distribution with its formula or with the property in its name.
#include "common/harness/input/distributions.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/harness/input/random.hpp"
#include "tests/all_key_types.hpp"

namespace sortlab {
namespace {

constexpr std::uint64_t kSeed = 12345;

template <class Key>
std::vector<Key> make(std::string_view text, std::size_t n, std::uint64_t seed = kSeed) {
  std::vector<Key> keys(n);
  generate(std::span<Key>(keys), parse_distribution(text), seed);
  return keys;
}

template <class Key>
bool same_bytes(const std::vector<Key>& a, const std::vector<Key>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Key)) == 0;
}

template <class Key>
std::size_t distinct(std::vector<Key> keys) {
  std::sort(keys.begin(), keys.end());
  return static_cast<std::size_t>(std::unique(keys.begin(), keys.end()) - keys.begin());
}

double mean(const std::vector<double>& keys) {
  return std::accumulate(keys.begin(), keys.end(), 0.0) / static_cast<double>(keys.size());
}

double variance(const std::vector<double>& keys) {
  const double m = mean(keys);
  double sum = 0;
  for (const double key : keys) sum += (key - m) * (key - m);
  return sum / static_cast<double>(keys.size());
}

// ---- Of all distributions and types ----

template <class Key>
class EveryDistribution : public testing::Test {};
TYPED_TEST_SUITE(EveryDistribution, AllKeyTypes);

TYPED_TEST(EveryDistribution, DoesNotDependOnTheThreads) {
  const int before = omp_get_max_threads();
  for (const auto& info : all_distributions()) {
    omp_set_num_threads(1);
    const auto expected = make<TypeParam>(info.name, 50'001);
    for (const int threads : {2, 3, 8}) {
      omp_set_num_threads(threads);
      EXPECT_TRUE(same_bytes(make<TypeParam>(info.name, 50'001), expected))
          << info.name << ", " << threads << " threads";
    }
  }
  omp_set_num_threads(before);
}

TYPED_TEST(EveryDistribution, FillsTheSmallestSizes) {
  for (const auto& info : all_distributions()) {
    for (std::size_t n = 0; n < 20; ++n) EXPECT_EQ(make<TypeParam>(info.name, n).size(), n);
  }
}

TYPED_TEST(EveryDistribution, FloatsLieBelowOneUnlessTheyAreSmallIntegers) {
  if constexpr (std::is_floating_point_v<TypeParam>) {
    for (const auto& info : patterns()) {
      if (info.correctness_only) continue;
      for (const TypeParam key : make<TypeParam>(info.name, 4096)) {
        ASSERT_GE(key, 0) << info.name;
        ASSERT_TRUE(key < 1 || key == std::floor(key)) << info.name;
      }
    }
  }
}

TEST(Distributions, SeedMattersWhereThereIsChance) {
  const std::set<std::string_view> without_chance = {"sorted",    "reverse",  "organpipe",
                                                     "sawtooth",  "rootdups", "twodups",
                                                     "eightdups", "killer3",  "deterdups"};
  for (const auto& info : all_distributions()) {
    const bool same = same_bytes(make<std::uint64_t>(info.name, 1000),
                                 make<std::uint64_t>(info.name, 1000, 54321));
    EXPECT_EQ(same, without_chance.contains(info.name)) << info.name;
  }
}

TEST(Distributions, NamesAreThoseOfTheSuite) {
  const std::vector<std::string_view> expected = {
      "uniform",  "sorted",       "reverse",  "nearly",      "sorted95", "organpipe",
      "sawtooth", "equal",        "dups16",   "d20",         "p5",       "rootdups",
      "twodups",  "eightdups",    "zipf",     "exponential", "gaussian", "staggered",
      "entropy1", "entropy2",     "entropy3", "entropy4",    "entropy5", "killer3",
      "special",  "bucketsorted", "ggroup",   "mirrored",    "alltoone", "deterdups",
      "randdups", "splats",       "morton",   "depths",      "experts",  "gradients",
      "logits",   "timestamps",   "gaps",     "text",        "heavy",    "runs",
      "ipv4",     "sizes",        "prices",   "walk",        "kmers",    "edges"};
  std::vector<std::string_view> names;
  for (const auto& info : all_distributions()) {
    names.push_back(info.name);
    EXPECT_FALSE(info.formula.empty()) << info.name;
    EXPECT_EQ(info.correctness_only, info.name == "special");
  }
  EXPECT_EQ(names, expected);
}

// ---- The generator ----

TEST(Random, MixIsSplitMix64) {
  // The first outputs of SplitMix64 from state 1234567, as its public test vectors give them.
  EXPECT_EQ(mix_bits(1234567 + kGoldenStep), 6457827717110365317u);
  EXPECT_EQ(mix_bits(1234567 + 2 * kGoldenStep), 3203168211198807973u);
}

TEST(Random, ScaleBelowStaysBelow) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(scale_below(kMax, 20), 19u);
  EXPECT_EQ(scale_below(0, 20), 0u);
  EXPECT_EQ(scale_below(kMax, kMax), kMax - 1);
}

TEST(Random, OverRangeReachesBothEnds) {
  constexpr auto kMax = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(over_range<std::int32_t>(0), std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(over_range<std::int32_t>(kMax), std::numeric_limits<std::int32_t>::max());
  EXPECT_EQ(over_range<float>(0), 0.0f);
  EXPECT_EQ(over_range<float>(kMax), std::nextafter(1.0f, 0.0f));
  EXPECT_EQ(over_range<double>(kMax), 1 - 0x1p-53);
}

TEST(Random, StreamsAndSeedsShareNoWords) {
  std::vector<std::uint64_t> words;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (std::uint64_t stream = 0; stream < 10; ++stream) {
      for (std::uint64_t i = 0; i < 100; ++i) words.push_back(random_word(seed, stream, i));
    }
  }
  EXPECT_EQ(distinct(words), words.size());
}

// ---- Over the range ----

TEST(Distributions, UniformFillsEverySixteenthOfTheRangeAlike) {
  constexpr std::size_t kCount = 1 << 16, kExpected = kCount / 16;
  std::array<std::size_t, 16> unsigned_counts{}, signed_counts{}, float_counts{};
  for (const auto key : make<std::uint32_t>("uniform", kCount)) ++unsigned_counts[key >> 28];
  for (const auto key : make<std::int64_t>("uniform", kCount)) ++signed_counts[(key >> 60) + 8];
  for (const auto key : make<float>("uniform", kCount)) {
    ++float_counts[static_cast<std::size_t>(key * 16)];
  }
  for (std::size_t i = 0; i < 16; ++i) {
    EXPECT_NEAR(unsigned_counts[i], kExpected, kExpected * 0.1);
    EXPECT_NEAR(signed_counts[i], kExpected, kExpected * 0.1);
    EXPECT_NEAR(float_counts[i], kExpected, kExpected * 0.1);
  }
}

TEST(Distributions, RampsSpanTheRangeInOrder) {
  const auto signed_keys = make<std::int32_t>("sorted", 1000);
  EXPECT_TRUE(std::is_sorted(signed_keys.begin(), signed_keys.end()));
  EXPECT_EQ(distinct(signed_keys), 1000u);
  EXPECT_EQ(signed_keys.front(), std::numeric_limits<std::int32_t>::min());
  EXPECT_GT(signed_keys.back(), std::numeric_limits<std::int32_t>::max() / 1000 * 990);

  auto reversed = make<std::int32_t>("reverse", 1000);
  std::reverse(reversed.begin(), reversed.end());
  EXPECT_EQ(reversed, signed_keys);

  const auto unit = make<double>("sorted", 1000);
  for (std::size_t i = 0; i < unit.size(); ++i) EXPECT_NEAR(unit[i], i / 1000.0, 1e-12);
}

TEST(Distributions, NearlyIsSortedButForSqrtNSwaps) {
  constexpr std::size_t kCount = 10'000, kSwaps = 100;
  auto keys = make<std::uint32_t>("nearly", kCount);
  const auto ramp = make<std::uint32_t>("sorted", kCount);
  std::size_t displaced = 0;
  for (std::size_t i = 0; i < kCount; ++i) displaced += keys[i] != ramp[i];
  EXPECT_GT(displaced, kSwaps);
  EXPECT_LE(displaced, 2 * kSwaps);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(keys, ramp);
}

TEST(Distributions, Sorted95IsARampAndARandomTail) {
  const auto keys = make<double>("sorted95", 10'000);
  EXPECT_EQ(std::is_sorted_until(keys.begin(), keys.end()) - keys.begin() >= 9'500, true);
  EXPECT_EQ(std::is_sorted_until(keys.begin(), keys.end()) - keys.begin() < 9'510, true);
  EXPECT_NEAR(mean({keys.begin() + 9'500, keys.end()}), 0.5, 0.05);
}

TEST(Distributions, OrganPipeRisesAndFallsAlike) {
  for (const std::size_t n : {1000, 1001}) {
    const auto keys = make<std::int64_t>("organpipe", n);
    EXPECT_TRUE(std::equal(keys.begin(), keys.end(), keys.rbegin()));
    EXPECT_TRUE(std::is_sorted(keys.begin(), keys.begin() + 500));
    EXPECT_EQ(distinct(keys), n - n / 2);
  }
}

TEST(Distributions, SawtoothHasSixteenAscendingRuns) {
  const auto keys = make<std::uint32_t>("sawtooth", 1600);
  for (std::size_t i = 1; i < keys.size(); ++i) {
    EXPECT_EQ(keys[i - 1] < keys[i], i % 100 != 0) << "at " << i;
  }
  EXPECT_EQ(distinct(keys), 100u);
}

TEST(Distributions, EqualHasOneKey) { EXPECT_EQ(distinct(make<double>("equal", 1000)), 1u); }

TEST(Distributions, Dups16HasSixteenKeysOverTheRange) {
  const auto keys = make<std::int32_t>("dups16", 10'000);
  EXPECT_EQ(distinct(keys), 16u);
  for (const auto key : keys) EXPECT_EQ(key % (1 << 28), 0);
  EXPECT_EQ(*std::min_element(keys.begin(), keys.end()), std::numeric_limits<std::int32_t>::min());
}

TEST(Distributions, GaussianHasTheMomentsOfAMeanOfFour) {
  const auto keys = make<double>("gaussian", 100'000);
  EXPECT_NEAR(mean(keys), 0.5, 0.005);
  EXPECT_NEAR(variance(keys), 1.0 / 48, 0.0005);  // 1/12 of a uniform, over 4
}

TEST(Distributions, StaggeredBlocksDrawFromTheirSlices) {
  for (const std::size_t n : {128, 12'800, 10'000}) {
    const auto keys = make<double>("staggered", n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t block = 128 * i / n;
      const std::size_t slice = block < 64 ? 2 * block + 1 : 2 * block - 128;
      ASSERT_EQ(static_cast<std::size_t>(keys[i] * 128), slice) << "at " << i << " of " << n;
    }
  }
}

/// The slice of [0, 1), of `slices`, that each key is in.
std::vector<std::size_t> slices_of(const std::string& dist, std::size_t n, std::size_t slices) {
  std::vector<std::size_t> found;
  for (const double key : make<double>(dist, n)) {
    found.push_back(static_cast<std::size_t>(key * static_cast<double>(slices)));
  }
  return found;
}

TEST(DistributionsOfBlocks, StaggeredSendsEachBlockToOneOther) {
  const auto found = slices_of("staggered:4", 400, 4);
  for (std::size_t i = 0; i < 400; ++i) EXPECT_EQ(found[i], (std::array{1U, 3U, 0U, 2U})[i / 100]);
}

TEST(DistributionsOfBlocks, BucketsortedBlocksAreForAllInTurn) {
  const auto found = slices_of("bucketsorted:4", 1600, 4);
  for (std::size_t i = 0; i < 1600; ++i) EXPECT_EQ(found[i], i % 400 / 100) << i;
}

TEST(DistributionsOfBlocks, GgroupSendsEachGroupToTheSameOnes) {
  // Two groups of two blocks: from slice 2 on, and from slice 0 on.
  const auto found = slices_of("ggroup:4", 1600, 4);
  for (std::size_t i = 0; i < 1600; ++i) {
    EXPECT_EQ(found[i], (i < 800 ? 2U : 0U) + i % 400 / 200) << i;
  }
}

TEST(DistributionsOfBlocks, MirroredReversesTheBitsOfTheBlock) {
  const auto found = slices_of("mirrored:8", 800, 8);
  for (std::size_t i = 0; i < 800; ++i) {
    EXPECT_EQ(found[i], (std::array{0U, 4U, 2U, 6U, 1U, 5U, 3U, 7U})[i / 100]) << i;
  }
}

TEST(DistributionsOfBlocks, AlltooneHasOneKeyOfEachBlockForTheFirst) {
  const auto keys = make<double>("alltoone:4", 400);
  for (std::size_t i = 0; i < 400; ++i) {
    if (i % 100 == 99) {
      EXPECT_LT(keys[i], 1.0 / 400) << i;
    } else {
      EXPECT_EQ(static_cast<std::size_t>(keys[i] * 4), 3 - i / 100) << i;
    }
  }
}

TEST(DistributionsOfBlocks, DeterdupsHalvesFromKeyToKey) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const auto key : make<std::uint32_t>("deterdups", 1024)) ++counts[key];
  EXPECT_EQ(counts.size(), 11U);
  for (std::uint32_t key = 1; key <= 10; ++key) EXPECT_EQ(counts[key], std::size_t{1} << (key - 1));
}

TEST(DistributionsOfBlocks, RanddupsHasShortRunsOfFewNumbers) {
  const auto keys = make<std::uint32_t>("randdups:3", 30'000);
  EXPECT_LE(*std::max_element(keys.begin(), keys.end()), 31U);
  EXPECT_GT(distinct(keys), 16U);
  std::size_t changes = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) changes += keys[i] != keys[i - 1];
  EXPECT_LT(changes, 3U * 32);
  EXPECT_GT(changes, 3U * 16);
}

TEST(DistributionsOfBlocks, AnyNumberOfBlocksWillDo) {
  for (const auto& info : patterns_of_blocks()) {
    if (info.default_param.empty()) continue;
    for (const int blocks : {1, 3, 100, 4096}) {
      for (const std::size_t n : {1, 2, 99, 101}) {
        EXPECT_EQ(make<float>(fmt::format("{}:{}", info.name, blocks), n).size(), n);
      }
    }
  }
}

TEST(Distributions, EntropyBitsAreSetWithProbabilityTwoToMinusK) {
  for (int k = 1; k <= 5; ++k) {
    std::size_t ones = 0;
    const auto keys = make<std::uint64_t>(fmt::format("entropy{}", k), 10'000);
    for (const auto key : keys) ones += static_cast<std::size_t>(std::popcount(key));
    EXPECT_NEAR(static_cast<double>(ones) / (64.0 * 10'000), std::ldexp(1.0, -k), 0.003) << k;
  }
}

// ---- Small integers ----

TEST(Distributions, D20HasTwentySmallIntegers) {
  std::array<std::size_t, 20> counts{};
  for (const auto key : make<std::uint32_t>("d20", 20'000)) ++counts.at(key);
  for (const auto count : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(Distributions, P5IsZeroButForFivePercent) {
  const auto keys = make<std::int32_t>("p5", 100'000);
  const auto zeros = static_cast<std::size_t>(std::count(keys.begin(), keys.end(), 0));
  EXPECT_NEAR(static_cast<double>(zeros), 95'000, 500);
  EXPECT_GT(distinct(keys), 4'500u);
}

TEST(Distributions, RootAndTwoAndEightDupsAreTheirFormulas) {
  constexpr std::uint64_t kCount = 5000, kRoot = 70, kPower = 4096;
  const auto root = make<std::uint64_t>("rootdups", kCount);
  const auto two = make<double>("twodups", kCount);
  const auto eight = make<std::int32_t>("eightdups", kCount);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    std::uint64_t eighth = 1;
    for (int factor = 0; factor < 8; ++factor) eighth = eighth * i % kPower;
    ASSERT_EQ(root[i], i % kRoot);
    ASSERT_EQ(two[i], static_cast<double>((i * i + kPower / 2) % kPower));
    ASSERT_EQ(eight[i], static_cast<std::int32_t>((eighth + kPower / 2) % kPower));
  }
}

TEST(Distributions, ZipfRanksComeWithTheirProbabilities) {
  constexpr std::size_t kCount = 1 << 20;
  for (const double s : {0.75, 1.0, 2.0, 20.0}) {
    double weights = 0;
    for (int k = 1; k <= 1'000'000; ++k) weights += std::pow(k, -s);
    std::vector<double> counts(1'000'001);
    for (const auto key : make<std::uint32_t>(fmt::format("zipf:{}", s), kCount)) ++counts.at(key);
    EXPECT_EQ(counts[0], 0);
    for (const int k : {1, 2, 3, 10}) {
      const double expected = kCount * std::pow(k, -s) / weights;
      EXPECT_NEAR(counts[k], expected, 5 * std::sqrt(expected) + 1) << "s " << s << ", rank " << k;
    }
  }
}

TEST(Distributions, ZipfWithoutASkewIsUniform) {
  const auto keys = make<double>("zipf:0", 100'000);
  EXPECT_NEAR(mean(keys), 500'000.5, 5'000);
  EXPECT_GE(*std::min_element(keys.begin(), keys.end()), 1);
  EXPECT_LE(*std::max_element(keys.begin(), keys.end()), 1'000'000);
}

TEST(Distributions, ZipfTableIsBuiltOnceByAnyThread) {
  std::vector<std::vector<std::uint32_t>> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) {
    threads.emplace_back([&result] { result = make<std::uint32_t>("zipf:0.9", 100); });
  }
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, results.front());
}

TEST(Distributions, ExponentialSpreadsOverTheOctavesAlike) {
  constexpr std::size_t kCount = 1 << 16;
  std::array<std::size_t, 16> octaves{};
  for (const auto key : make<std::uint64_t>("exponential", kCount)) {
    ASSERT_GE(key, 1u);
    ++octaves.at(static_cast<std::size_t>(std::bit_width(key)) - 1);
  }
  for (const auto count : octaves) EXPECT_NEAR(count, kCount / 16, kCount / 16 * 0.1);
}

// ---- Correctness only ----

TYPED_TEST(EveryDistribution, SpecialHoldsTheEndsOfTheOrderAndManyOthers) {
  std::set<BitsOf<TypeParam>> found;
  for (const auto key : make<TypeParam>("special", 4096)) found.insert(to_ordered_bits(key));
  using Limits = std::numeric_limits<TypeParam>;
  const auto holds = [&](TypeParam key) { return found.contains(to_ordered_bits(key)); };
  EXPECT_TRUE(found.contains(0));
  EXPECT_TRUE(found.contains(std::numeric_limits<BitsOf<TypeParam>>::max()));
  EXPECT_TRUE(holds(0));
  if constexpr (std::is_floating_point_v<TypeParam>) {
    for (const TypeParam key : {TypeParam{0}, Limits::quiet_NaN(), Limits::infinity(),
                                Limits::denorm_min(), Limits::min(), Limits::max()}) {
      EXPECT_TRUE(holds(key)) << key;
      EXPECT_TRUE(holds(-key)) << -key;
    }
  } else {
    EXPECT_TRUE(holds(Limits::min()));
    EXPECT_TRUE(holds(Limits::max()));
    EXPECT_TRUE(holds(1));
  }
}

// ---- killer3 ----

/// A quicksort by the median of first, middle and last that counts its comparisons with the pivot.
/// `kMiddleUp` picks the upper of the two middles of an even length.
template <bool kMiddleUp>
class MedianOfThree {
 public:
  std::uint64_t hoare(std::vector<std::uint32_t> keys) {
    keys_ = std::move(keys);
    sort_hoare(0, keys_.size());
    EXPECT_TRUE(std::is_sorted(keys_.begin(), keys_.end()));
    return compared_;
  }
  std::uint64_t lomuto(std::vector<std::uint32_t> keys) {
    keys_ = std::move(keys);
    sort_lomuto(0, keys_.size());
    EXPECT_TRUE(std::is_sorted(keys_.begin(), keys_.end()));
    return compared_;
  }

 private:
  std::size_t median(std::size_t begin, std::size_t end) const {
    const std::size_t middle = begin + (end - begin - (kMiddleUp ? 0 : 1)) / 2;
    std::array<std::size_t, 3> places = {begin, middle, end - 1};
    std::sort(places.begin(), places.end(),
              [&](std::size_t a, std::size_t b) { return keys_[a] < keys_[b]; });
    return places[1];
  }

  void sort_hoare(std::size_t begin, std::size_t end) {
    while (end - begin > 1) {
      const std::uint32_t pivot = keys_[median(begin, end)];
      // [begin, i): up to the pivot; [i, j]: unseen; (j, end): from the pivot on.
      std::ptrdiff_t i = static_cast<std::ptrdiff_t>(begin) - 1;
      auto j = static_cast<std::ptrdiff_t>(end);
      for (;;) {
        do ++i, ++compared_;
        while (keys_[i] < pivot);
        do --j, ++compared_;
        while (pivot < keys_[j]);
        if (i >= j) break;
        std::swap(keys_[i], keys_[j]);
      }
      // The last key is above the median of three distinct ones, so neither side is everything; of
      // two keys the larger may be the pivot, at which both walks stop together.
      const std::size_t cut = std::min<std::size_t>(static_cast<std::size_t>(j) + 1, end - 1);
      sort_hoare(begin, cut);
      begin = cut;
    }
  }

  void sort_lomuto(std::size_t begin, std::size_t end) {
    while (end - begin > 1) {
      std::swap(keys_[median(begin, end)], keys_[end - 1]);
      const std::uint32_t pivot = keys_[end - 1];
      std::size_t cut = begin;
      for (std::size_t i = begin; i < end - 1; ++i, ++compared_) {
        if (keys_[i] < pivot) std::swap(keys_[i], keys_[cut++]);
      }
      std::swap(keys_[cut], keys_[end - 1]);
      sort_lomuto(begin, cut);
      begin = cut + 1;
    }
  }

  std::vector<std::uint32_t> keys_;
  std::uint64_t compared_ = 0;
};

TEST(Distributions, Killer3IsAPermutationOfTheRamp) {
  for (std::size_t n = 1; n < 200; ++n) {
    auto keys = make<std::uint32_t>("killer3", n);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(keys, make<std::uint32_t>("sorted", n)) << n;
  }
}

TEST(Distributions, Killer3MakesMedianOfThreeQuadratic) {
  for (const std::size_t n : {4096, 4097, 4098, 4099, 5000}) {
    const auto killer = make<std::uint32_t>("killer3", n);
    const auto uniform = make<std::uint32_t>("uniform", n);
    const std::uint64_t quadratic = n * n / 16;
    const auto linearithmic =
        static_cast<std::uint64_t>(3.0 * static_cast<double>(n) * std::log2(n));
    EXPECT_GT(MedianOfThree<false>{}.hoare(killer), quadratic) << n;
    EXPECT_GT(MedianOfThree<true>{}.hoare(killer), quadratic) << n;
    EXPECT_GT(MedianOfThree<false>{}.lomuto(killer), quadratic) << n;
    EXPECT_GT(MedianOfThree<true>{}.lomuto(killer), quadratic) << n;
    EXPECT_LT(MedianOfThree<false>{}.hoare(uniform), linearithmic) << n;
    EXPECT_LT(MedianOfThree<true>{}.lomuto(uniform), linearithmic) << n;
  }
}

// ---- The user's input ----

std::string complaint_about(std::string_view text) {
  try {
    parse_distribution(text);
  } catch (const BadInput& complaint) {
    return complaint.what();
  }
  return "";
}

TEST(ParseDistribution, FillsInTheDefaultAndSpellsNumbersOneWay) {
  EXPECT_EQ(parse_distribution("uniform").param, "");
  EXPECT_EQ(parse_distribution("zipf").param, "0.75");
  EXPECT_EQ(parse_distribution("zipf:1.0").param, "1.0");
  EXPECT_EQ(parse_distribution("zipf:1").param, "1.0");
  EXPECT_EQ(parse_distribution("zipf:0.750").param, "0.75");
  for (const auto& info : all_distributions()) {
    EXPECT_EQ(parse_distribution(info.name).param, info.default_param);
  }
}

TEST(ParseDistribution, UnknownNameListsTheNearest) {
  EXPECT_EQ(complaint_about("unifrom").find("unknown distribution 'unifrom'; nearest: uniform, "),
            0u);
  EXPECT_EQ(complaint_about("entropy"),
            "unknown distribution 'entropy'; nearest: entropy1, entropy2, entropy3");
  EXPECT_EQ(complaint_about("dups").find("unknown distribution 'dups'; nearest: dups16, "), 0u);
  EXPECT_THROW(make<float>("", 10), BadInput);
  std::vector<float> keys(10);
  EXPECT_THROW(generate(std::span<float>(keys), {"zpif", ""}, kSeed), BadInput);
}

TEST(ParseDistribution, MalformedParameter) {
  for (const std::string text : {"zipf:", "zipf:x", "zipf:1x", "zipf:-1", "zipf:nan", "zipf:1e9"}) {
    EXPECT_NE(complaint_about(text).find(fmt::format("'{}'", text.substr(5))), std::string::npos)
        << text;
  }
  for (const std::string text : {"mirrored:", "mirrored:0", "mirrored:4097", "mirrored:x"}) {
    EXPECT_NE(complaint_about(text).find("is no number of blocks from 1 to 4096"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(parse_distribution("mirrored:08").param, "8");
  EXPECT_EQ(parse_distribution("staggered").param, "");
  EXPECT_EQ(complaint_about("sorted:3"),
            "distribution sorted takes no parameter, but '3' was given");
}

}  // namespace
}  // namespace sortlab
