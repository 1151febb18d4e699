// The sample of gpu/radix/msd_hybrid that predicts bins which are too large for a leaf, on the CPU: right where all
// keys say so clearly.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "common/harness/input/distributions.hpp"
#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/radix/msd_hybrid/large_bins.cuh"

namespace sortlab::tests::large_bins {
namespace {

using gpu::radix::msd_hybrid::LargeBins;

constexpr std::size_t kKeys = 1 << 20;
constexpr unsigned kDigitBits = 8;
constexpr unsigned kMaxLeaf = kKeys / 256 / 4 * 5;  // a quarter more than even keys need

std::vector<std::uint32_t> keys_of(const std::string& distribution) {
  std::vector<std::uint32_t> keys(kKeys);
  generate(std::span(keys), parse_distribution(distribution), 12345);
  return keys;
}

/// What all threads of the block say.
template <class Bits>
bool are_predicted(const std::vector<Bits>& keys, gpu::KeyMap<Bits> key_map = {}) {
  const float full = LargeBins::count_if_full(keys.size(), kDigitBits, kMaxLeaf);
  const auto block = std::make_unique<LargeBins>();
  unsigned yes = 0;
  Block::run(LargeBins::kThreads, Turns::upwards,
             [&] { yes += block->are_predicted(keys.data(), key_map, keys.size(), full); });
  EXPECT_TRUE(yes == 0 || yes == LargeBins::kThreads) << yes;
  return yes > 0;
}

TEST(LargeBins, OfFullLeavesHaveTheirShareOfTheSample) {
  // 2^20 keys in 2^10 bins, 1024 in each: a leaf of 1024 has 4 of the 4096 drawn, and one of 256 bins has four leaves.
  EXPECT_EQ(LargeBins::count_if_full(1 << 20, 10, 1024), 16);
  EXPECT_EQ(LargeBins::count_if_full(1 << 20, 7, 8192), 16);
}

TEST(LargeBins, AreNotPredictedForEvenKeys) {
  for (const char* const distribution : {"uniform", "sorted", "reverse", "nearly"}) {
    EXPECT_FALSE(are_predicted(keys_of(distribution))) << distribution;
  }
}

TEST(LargeBins, ArePredictedForUnevenKeys) {
  for (const char* const distribution : {"gaussian", "zipf:1.0", "p5", "ipv4", "kmers", "equal"}) {
    EXPECT_TRUE(are_predicted(keys_of(distribution))) << distribution;
  }
}

TEST(LargeBins, AreThoseOfTheOrderedKeys) {
  // Signed keys of the whole range, then of a sixteenth of it.
  std::vector<std::uint32_t> keys(kKeys);
  for (std::size_t i = 0; i < kKeys; ++i) keys[i] = static_cast<std::uint32_t>(i << 12);
  EXPECT_FALSE(are_predicted(keys, gpu::key_map_of<std::int32_t, Order::ascending>()));
  for (std::uint32_t& key : keys) key >>= 4;
  EXPECT_TRUE(are_predicted(keys, gpu::key_map_of<std::int32_t, Order::descending>()));
}

TEST(LargeBins, MayBeOfKeysOf64Bits) {
  std::vector<std::uint64_t> keys(kKeys);
  generate(std::span(keys), parse_distribution("uniform"), 12345);
  EXPECT_FALSE(are_predicted(keys));
  for (std::uint64_t& key : keys) key >>= 8;
  EXPECT_TRUE(are_predicted(keys));
}

}  // namespace
}  // namespace sortlab::tests::large_bins
