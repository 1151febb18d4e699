// The sample of gpu/radix/top_sweep that tells whether the top digits of keys make buckets that fit a leaf,
// on the CPU, against a count of all keys.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "common/harness/input/distributions.hpp"
#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/radix/top_sweep/fullest_bucket.cuh"

namespace sortlab::tests {
namespace {

using gpu::radix::top_sweep::FullestBucket;

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
      const unsigned mine = block->sampled(keys.data(), {}, keys.size(), low_bits);
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

INSTANTIATE_TEST_SUITE_P(Keys, FullestBucketOf,
                         testing::Values("uniform", "text", "heavy", "splats", "gaps", "ipv4",
                                         "sorted", "sawtooth", "equal"));

}  // namespace
}  // namespace sortlab::tests
