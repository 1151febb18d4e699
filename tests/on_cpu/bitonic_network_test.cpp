// Batcher's network as gpu/bitonic computes it, on the CPU: all schemes have the same pairs, and they sort any n.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <vector>

#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/primitives/thread/bitonic_network.cuh"

namespace sortlab::tests {
namespace {

using gpu::Scheme;

template <Scheme kScheme>
std::set<std::pair<std::size_t, std::size_t>> pairs_of(std::size_t n, std::size_t j) {
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t thread = 0; thread < 2 * n; ++thread) {
    const auto pair = gpu::pair_of<kScheme>(thread, j);
    if (pair.is_within(n)) pairs.emplace(pair.low, pair.high);
  }
  return pairs;
}

template <Scheme kScheme>
std::vector<unsigned> sorted_by_network(std::vector<unsigned> keys) {
  const std::size_t n = keys.size();
  const Items<unsigned, NoValue> items{keys.data(), nullptr};
  for (std::size_t k = 2; k / 2 < n; k *= 2) {
    for (std::size_t j = k / 2; j > 0; j /= 2) {
      for (const auto& [low, high] : pairs_of<kScheme>(n, j)) {
        gpu::exchange<std::less<unsigned>>(items, low, high, gpu::is_upwards(low, n - 1, k));
      }
    }
  }
  return keys;
}

TEST(BitonicNetworkOnCpu, AllSchemesHaveTheSamePairs) {
  for (const std::size_t n : {2u, 13u, 64u, 100u}) {
    for (std::size_t j = 1; j < n; j *= 2) {
      const auto shifted = pairs_of<Scheme::shifted>(n, j);
      EXPECT_EQ(pairs_of<Scheme::partner_above>(n, j), shifted) << n << " " << j;
      EXPECT_EQ(pairs_of<Scheme::divided>(n, j), shifted) << n << " " << j;
    }
  }
}

TEST(BitonicNetworkOnCpu, ItSortsAnyNumberOfKeysInAnyScheme) {
  std::mt19937 random(12345);
  for (std::size_t n = 1; n <= 70; ++n) {
    std::vector<unsigned> keys(n);
    for (auto& key : keys) key = random() % 50;
    auto sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    EXPECT_EQ(sorted_by_network<Scheme::partner_above>(keys), sorted) << n;
    EXPECT_EQ(sorted_by_network<Scheme::shifted>(keys), sorted) << n;
    EXPECT_EQ(sorted_by_network<Scheme::divided>(keys), sorted) << n;
  }
}

}  // namespace
}  // namespace sortlab::tests
