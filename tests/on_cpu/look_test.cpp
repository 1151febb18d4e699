// The look of gpu/radix/msd_hybrid at a sample, on the CPU: right where all keys say so clearly.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "common/harness/input/distributions.hpp"
#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/primitives/grid/spread/look.cuh"

namespace sortlab::tests::look {
namespace {

using gpu::spread::Look;

constexpr std::size_t kKeys = 1 << 20;

std::vector<std::uint32_t> keys_of(const std::string& distribution) {
  std::vector<std::uint32_t> keys(kKeys);
  generate(std::span(keys), parse_distribution(distribution), 12345);
  return keys;
}

/// What all threads of the block say.
template <class Bits>
bool are_uneven(const std::vector<Bits>& keys, gpu::KeyMap<Bits> key_map = {}) {
  const auto block = std::make_unique<Look>();
  unsigned yes = 0;
  Block::run(Look::kThreads, Turns::upwards,
             [&] { yes += block->are_uneven(keys.data(), key_map, keys.size()); });
  EXPECT_TRUE(yes == 0 || yes == Look::kThreads) << yes;
  return yes > 0;
}

TEST(Look, FindsEvenKeysEven) {
  for (const char* const distribution : {"uniform", "sorted", "reverse", "nearly"}) {
    EXPECT_FALSE(are_uneven(keys_of(distribution))) << distribution;
  }
  std::mt19937 random(1);
  std::vector<std::uint32_t> keys(kKeys);
  for (unsigned sample = 0; sample < 50; ++sample) {
    for (std::uint32_t& key : keys) key = random();
    EXPECT_FALSE(are_uneven(keys)) << sample;
  }
}

TEST(Look, IsNotMisledByKeysThatComeBackAtADistance) {
  // So many ascending runs over the range: quarters of the array are alike.
  for (const std::size_t runs : {4, 100, 256}) {
    const std::size_t length = kKeys / runs;
    std::vector<std::uint32_t> keys(kKeys);
    for (std::size_t i = 0; i < kKeys; ++i) {
      keys[i] = static_cast<std::uint32_t>((std::uint64_t{i % length} << 32) / length);
    }
    EXPECT_FALSE(are_uneven(keys)) << runs;
  }
}

TEST(Look, FindsUnevenKeysUneven) {
  for (const char* const distribution :
       {"gaussian", "zipf:1.0", "p5", "ipv4", "kmers", "gaps", "equal"}) {
    EXPECT_TRUE(are_uneven(keys_of(distribution))) << distribution;
  }
}

TEST(Look, IsAtTheOrderedKeys) {
  // Signed keys of the whole range, then of a sixteenth of it.
  std::vector<std::uint32_t> keys(kKeys);
  for (std::size_t i = 0; i < kKeys; ++i) keys[i] = static_cast<std::uint32_t>(i << 12);
  EXPECT_FALSE(are_uneven(keys, gpu::key_map_of<std::int32_t, Order::ascending>()));
  for (std::uint32_t& key : keys) key >>= 4;
  EXPECT_TRUE(are_uneven(keys, gpu::key_map_of<std::int32_t, Order::descending>()));
}

TEST(Look, MayBeAtKeysOf64Bits) {
  std::vector<std::uint64_t> keys(kKeys);
  generate(std::span(keys), parse_distribution("uniform"), 12345);
  EXPECT_FALSE(are_uneven(keys));
  for (std::uint64_t& key : keys) key >>= 8;
  EXPECT_TRUE(are_uneven(keys));
}

}  // namespace
}  // namespace sortlab::tests::look
