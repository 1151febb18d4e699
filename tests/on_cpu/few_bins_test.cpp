// The count and the scatter by a few bins on the CPU: every key reaches its bin, wherever the targets begin, and bins without a
// target are left out.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/parts/few_bins.cuh"

namespace sortlab::tests {
namespace {

using namespace gpu::parts;

template <class Bits>
unsigned plain_bin(const FewBins<Bits>& bins, Bits ordered) {
  return static_cast<unsigned>(std::count_if(bins.last, bins.last + bins.count - 1,
                                             [=](Bits last) { return ordered > last; }));
}

/// Scatters keys from place `first` on, as one block, to targets that each begin `shift` keys further on than the last; a bin, if
/// there is one of that number, is left out.
template <unsigned kBins, class Bits>
void expect_scattered(const std::vector<Bits>& all, std::size_t first, const FewBins<Bits>& bins,
                      gpu::KeyMap<Bits> map, unsigned shift, unsigned left_out, Turns turns) {
  using Policy = FewPolicy<Bits>;
  std::vector<std::vector<Bits>> expected(kBins);
  for (std::size_t i = first; i < all.size(); ++i) {
    expected[plain_bin(bins, map.ordered(all[i]))].push_back(all[i]);
  }
  constexpr Bits kUntouched = static_cast<Bits>(0x5a5a5a5a5a5a5a5au);
  std::vector<std::vector<Bits>> got;
  for (std::size_t b = 0; b < kBins; ++b) {
    got.emplace_back(expected[b].size() + b * shift + 3, kUntouched);
  }
  unsigned counts[kBins] = {};
  const auto space = std::make_unique<FewSpace<kBins, Bits>>();
  Block::run(Policy::kThreads, turns, [&] {
    const FewSearch<kBins, Bits> search{bins, map};
    unsigned behind[kBins] = {};
    for (std::size_t at = first; at < all.size(); at += Policy::kTile) {
      const auto count =
          static_cast<unsigned>(std::min<std::size_t>(all.size() - at, Policy::kTile));
      FewKeys<Bits> tile[Policy::kVectors];
      load_few(all.data() + at, count, tile);
      count_few_tile(tile, count, map, bins, behind);
    }
    for (unsigned b = 0; b < kBins; ++b) {
      counts[b] += behind[b] - (b + 1 < kBins ? behind[b + 1] : 0);
    }
    const unsigned b = threadIdx.x;
    if (b < kBins) space->targets[b] = b == left_out ? nullptr : got[b].data() + b * shift;
    __syncthreads();
    scatter_few_keys(all.data(), first, all.size(), search, *space);
  });
  for (std::size_t b = 0; b < kBins; ++b) {
    ASSERT_EQ(counts[b], expected[b].size()) << b;
    const auto begin = got[b].begin() + static_cast<std::ptrdiff_t>(b * shift);
    ASSERT_TRUE(std::all_of(got[b].begin(), begin, [](Bits k) { return k == kUntouched; }));
    ASSERT_TRUE(
        std::all_of(got[b].end() - 3, got[b].end(), [](Bits k) { return k == kUntouched; }));
    if (b == left_out) expected[b].assign(expected[b].size(), kUntouched);
    std::sort(begin, got[b].end() - 3);
    std::sort(expected[b].begin(), expected[b].end());
    ASSERT_TRUE(std::equal(begin, got[b].end() - 3, expected[b].begin(), expected[b].end())) << b;
  }
}

template <class Bits>
std::vector<Bits> keys_of_kind(std::size_t n, unsigned kind) {
  std::mt19937_64 random(n + kind);
  std::vector<Bits> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto any = static_cast<Bits>(random());
    keys[i] = kind == 0   ? any
              : kind == 1 ? static_cast<Bits>(any % 5)
              : kind == 2 ? static_cast<Bits>(i)
                          : static_cast<Bits>(~Bits{0});
  }
  return keys;
}

template <unsigned kBins, class Bits>
void expect_all_kinds(gpu::KeyMap<Bits> map) {
  constexpr std::size_t kTile = FewPolicy<Bits>::kTile;
  for (const unsigned kind : {0u, 1u, 2u, 3u}) {
    for (const std::size_t n : {std::size_t{1}, kTile, 2 * kTile + 77}) {
      const auto keys = keys_of_kind<Bits>(n + 3, kind);
      std::vector<Bits> sample;
      for (const Bits key : keys) sample.push_back(map.ordered(key));
      std::sort(sample.begin(), sample.end());
      for (const unsigned count : {1u, 3u, kBins}) {
        FewBins<Bits> bins{.count = count, .last = {}};
        std::fill(std::begin(bins.last), std::end(bins.last), static_cast<Bits>(~Bits{0}));
        for (unsigned b = 1; b < count; ++b) bins.last[b - 1] = sample[sample.size() * b / count];
        const unsigned left_out = count == 3 ? 1 : kBins;
        if (kind % 2 == 0) {
          expect_scattered<kBins>(keys, kind, bins, map, 5, left_out, Turns::upwards);
        } else {
          expect_scattered<kBins>(keys, kind, bins, map, 7, left_out, Turns::downwards);
        }
      }
    }
  }
}

TEST(FewBins, GetTheirKeys) {
  expect_all_kinds<4, std::uint32_t>({});
  expect_all_kinds<8, std::uint32_t>(
      gpu::key_map_of<std::uint32_t>({KeyType::f32, Order::descending}));
  expect_all_kinds<4, std::uint64_t>(
      gpu::key_map_of<std::uint64_t>({KeyType::f64, Order::ascending}));
  expect_all_kinds<8, std::uint64_t>({});
}

}  // namespace
}  // namespace sortlab::tests
