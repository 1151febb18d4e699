// The sample of gpu/radix/top_sweep that tells whether the top digits of keys make buckets that fit a leaf,
// on the CPU, against a count of all keys.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "common/harness/input/distributions.hpp"
#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/radix/top_sweep/leaf_cut.cuh"

namespace sortlab::tests {
namespace {

using namespace gpu::radix::top_sweep;

constexpr std::size_t kKeys = 1 << 18;
constexpr unsigned kMost = 512;  // keys of a bucket that fit

template <class Bits>
std::size_t fullest(std::vector<Bits> keys, unsigned low_bits) {
  std::sort(keys.begin(), keys.end());
  std::size_t most = 0;
  for (std::size_t begin = 0, i = 0; i < keys.size(); ++i) {
    if (keys[i] >> low_bits != keys[begin] >> low_bits) begin = i;
    most = std::max(most, i - begin + 1);
  }
  return most;
}

/// Where the fullest bucket is not close to kMost, the sample agrees with the count.
template <class Bits>
void expect_agreement(const std::string& distribution) {
  std::vector<Bits> keys(kKeys);
  generate(std::span<Bits>(keys), parse_distribution(distribution), 12345);
  const auto block = std::make_unique<FullestBucket>();
  for (unsigned low_bits = 8; low_bits < 8 * sizeof(Bits); low_bits += 8) {
    const std::size_t truth = fullest(keys, low_bits);
    unsigned sampled = 0;
    Block::run(FullestBucket::kThreads, Turns::upwards, [&] {
      Bits key[FullestBucket::kKeys];
      FullestBucket::draw(keys.data(), gpu::KeyMap<Bits>{}, keys.size(), key);
      const unsigned mine = block->sampled(key, low_bits).most;
      if (threadIdx.x == 37) sampled = mine;
    });
    const bool fits = static_cast<float>(sampled) <= FullestBucket::expected(kMost, kKeys);
    const bool is_close = truth > kMost / 2 && truth < 2 * kMost;
    EXPECT_TRUE(is_close || fits == (truth <= kMost))
        << low_bits << ": " << truth << ", " << sampled;
  }
}

class FullestBucketOf : public testing::TestWithParam<const char*> {};

TEST_P(FullestBucketOf, AgreesWithACount) {
  expect_agreement<std::uint32_t>(GetParam());
  expect_agreement<std::uint64_t>(GetParam());
}

/// What the kernel knows of the digits of the keys.
template <class Bits>
struct Digits {
  unsigned long long most[kPasses<Bits>] = {};  // the heaviest bin of each
  unsigned needed = 0;

  explicit Digits(const std::vector<Bits>& keys) {
    for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
      unsigned long long counts[kBins] = {};
      for (const Bits key : keys) ++counts[digit_at(key, pass * kDigitBits)];
      most[pass] = *std::max_element(std::begin(counts), std::end(counts));
      needed |= unsigned{most[pass] < keys.size()} << pass;
    }
  }
};

/// The first pass that the counts and the sample allow.
template <class Bits>
unsigned first_pass(const std::vector<Bits>& keys) {
  const LeafLimits limits{.window = 320, .most = kMost, .most_low_bits = 8 * sizeof(Bits) - 12};
  const Digits<Bits> digits(keys);
  const auto counts = first_pass_by_counts<Bits>(digits.most, keys.size(), digits.needed, limits);
  if (!counts.needs_sample) return counts.first;
  const auto block = std::make_unique<FullestBucket>();
  bool fits = false;
  Block::run(FullestBucket::kThreads, Turns::downwards, [&] {
    Bits key[FullestBucket::kKeys];
    FullestBucket::draw(keys.data(), gpu::KeyMap<Bits>{}, keys.size(), key);
    const bool mine = makes_leaves(key, counts.first, keys.size(), limits, *block);
    if (threadIdx.x == 37) fits = mine;
  });
  return fits ? counts.first : 0;
}

TEST(FirstPass, CrowdsInBucketsThatWouldFitAreLeftToAllPasses) {
  // Top digits that are uneven, so that the sample is asked; below, any bits, or one of 16 values.
  for (const bool crowds : {false, true}) {
    std::vector<std::uint64_t> keys(kKeys);
    generate(std::span(keys), parse_distribution("uniform"), 12345);
    for (auto& key : keys) {
      if (key >> 62 == 0) key |= std::uint64_t{3} << 62;
      if (crowds) key = key >> 48 << 48 | (key & 15);
    }
    EXPECT_EQ(first_pass(keys) > 0, !crowds);
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, FullestBucketOf,
                         testing::Values("uniform", "text", "heavy", "splats", "gaps", "ipv4",
                                         "sorted", "sawtooth", "equal"));

TEST(FirstPass, TwoPassesAtLeastAreLeftOut) {
  EXPECT_EQ(lowest_worth_it(0b11111111), 2u);
  EXPECT_EQ(lowest_worth_it(0b10010100), 7u);
  EXPECT_EQ(lowest_worth_it(0b10010000), 0u);
  EXPECT_EQ(lowest_worth_it(0), 0u);
}

TEST(FirstPass, DependentDigitsMakeLargerBucketsThanTheirCountsSay) {
  // Each byte of a key is even on its own, but the second repeats the first.
  std::vector<std::uint64_t> keys(kKeys);
  generate(std::span(keys), parse_distribution("uniform"), 12345);
  EXPECT_EQ(first_pass(keys), 6u);
  for (auto& key : keys) {
    const std::uint64_t top = key >> 56 & 0x7f;
    key = top << 56 | top << 48 | (key & 0xffff'ffff'ffff);
  }
  EXPECT_EQ(first_pass(keys), 0u);
}

TEST(FirstPass, FloatsOfWhichAllDigitsDifferMayAskTheSample) {
  constexpr auto kFloats = gpu::key_map_of<double, Order::descending>();
  constexpr auto kIntegers = gpu::key_map_of<std::int64_t, Order::ascending>();
  EXPECT_TRUE(may_be_even_within<std::uint64_t>(kFloats, 0b11111111, 5));
  EXPECT_FALSE(may_be_even_within<std::uint64_t>(kFloats, 0b11111111, 4));
  EXPECT_FALSE(may_be_even_within<std::uint64_t>(kFloats, 0b11111110, 5));
  EXPECT_FALSE(may_be_even_within<std::uint64_t>(kIntegers, 0b11111111, 5));
}

}  // namespace
}  // namespace sortlab::tests
