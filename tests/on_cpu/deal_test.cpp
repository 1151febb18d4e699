// The counts and the dealing of gpu/multi on the CPU: every item reaches its share, in order, whatever the
// shares' sizes and wherever the targets begin; and no store but the last one of a run ends before its line.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/parts/deal.cuh"

namespace sortlab::tests {
namespace {

using namespace gpu::parts;

/// Splitters of the first part of two, as a block has them.
template <class Bits>
struct Cuts {
  std::vector<Bits> keys = std::vector<Bits>(kMostShares, static_cast<Bits>(~Bits{0}));
  std::vector<std::size_t> places = std::vector<std::size_t>(kMostShares, kNowhere);
  std::vector<Bits> least = std::vector<Bits>(kMostShares);
  unsigned shares;

  explicit Cuts(const std::vector<Splitter<Bits>>& splitters)
      : shares(static_cast<unsigned>(splitters.size()) + 1) {
    for (std::size_t s = 0; s < splitters.size(); ++s) {
      keys[s] = splitters[s].key;
      places[s] = first_behind(splitters[s], 0);
    }
  }
  Bounds<Bits> bounds() {
    return {keys.data(), places.data(), least.data(),
            static_cast<unsigned>(std::bit_width(shares - 1)), shares};
  }
};

/// The share of an item, by comparison with one splitter after the other.
template <class Bits>
unsigned plain_share(const std::vector<Splitter<Bits>>& splitters, Bits key, std::size_t place) {
  unsigned share = 0;
  for (const auto& splitter : splitters) {
    const bool behind = splitter.key < key ||
                        (splitter.key == key && (splitter.part == 0 && splitter.place <= place));
    share += behind;
  }
  return share;
}

template <class Bits>
std::vector<Splitter<Bits>> even_splitters(std::vector<Bits> keys, std::size_t shares) {
  std::vector<Splitter<Bits>> all;
  for (std::size_t i = 0; i < keys.size(); ++i) all.push_back({keys[i], 0, i});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::pair(a.key, a.place) < std::pair(b.key, b.place);
  });
  std::vector<Splitter<Bits>> splitters;
  for (std::size_t s = 0; s + 1 < shares; ++s) {
    splitters.push_back(all[splitter_rank(all.size(), shares, s)]);
  }
  return splitters;
}

/// Deals keys and their places, as one block, to targets that each begin `shift` items further on than the
/// last.
template <class Bits, class Value>
void expect_deals(const std::vector<Bits>& keys, const std::vector<Splitter<Bits>>& splitters,
                  unsigned shift, Turns turns) {
  using Policy = DealPolicy<Bits>;
  Cuts<Bits> cuts(splitters);
  const std::size_t shares = cuts.shares;
  std::vector<std::vector<Bits>> expected_keys(shares);
  std::vector<std::vector<std::uint32_t>> expected_values(shares);
  std::vector<std::uint32_t> values(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    values[i] = static_cast<std::uint32_t>(i);
    const unsigned share = plain_share(splitters, keys[i], i);
    expected_keys[share].push_back(keys[i]);
    expected_values[share].push_back(values[i]);
  }

  constexpr unsigned kCopyBits = 2;
  std::vector<unsigned> counts(kMostShares << kCopyBits, 0);
  const ShareCounts all_counts{counts.data(), kCopyBits};
  Block::run(Policy::kThreads, turns, [&] {
    for (std::size_t first = 0; first < keys.size(); first += Policy::kTile) {
      const auto count =
          static_cast<unsigned>(std::min<std::size_t>(keys.size() - first, Policy::kTile));
      count_tile(keys.data(), gpu::KeyMap<Bits>{}, first, count, cuts.bounds(), all_counts);
    }
  });
  for (unsigned s = 0; s < shares; ++s) ASSERT_EQ(all_counts.sum(s), expected_keys[s].size()) << s;

  constexpr Bits kUntouched = static_cast<Bits>(0x5a5a5a5a5a5a5a5au);
  std::vector<std::vector<Bits>> got_keys;
  std::vector<std::vector<std::uint32_t>> got_values;
  for (std::size_t s = 0; s < shares; ++s) {
    got_keys.emplace_back(expected_keys[s].size() + s * shift + 3, kUntouched);
    got_values.emplace_back(expected_keys[s].size() + s * shift + 3, 7u);
  }
  std::vector<std::uint64_t> shared(DealSpace<Bits, Value>::bytes(shares) / 8 + 1);
  Block::run(Policy::kThreads, turns, [&] {
    const auto space = DealSpace<Bits, Value>::in(reinterpret_cast<std::byte*>(shared.data()),
                                                  static_cast<unsigned>(shares));
    if (threadIdx.x < shares) {
      space.key_targets[threadIdx.x] = got_keys[threadIdx.x].data() + threadIdx.x * shift;
      if constexpr (Items<Bits, Value>::kPairs) {
        space.value_targets[threadIdx.x] = got_values[threadIdx.x].data() + threadIdx.x * shift;
        space.stretches[threadIdx.x] = {};
      }
    }
    __syncthreads();
    Items<Bits, Value> from{const_cast<Bits*>(keys.data()), nullptr};
    if constexpr (Items<Bits, Value>::kPairs) from.values = values.data();
    deal_items(from, gpu::KeyMap<Bits>{}, 0, keys.size(), cuts.bounds(), space);
  });
  for (std::size_t s = 0; s < shares; ++s) {
    const auto run = [&](const auto& got) {
      using T = typename std::decay_t<decltype(got)>::value_type;
      return std::vector<T>(got.begin() + static_cast<std::ptrdiff_t>(s * shift), got.end() - 3);
    };
    ASSERT_EQ(run(got_keys[s]), expected_keys[s]) << "share " << s;
    if constexpr (Items<Bits, Value>::kPairs) {
      ASSERT_EQ(run(got_values[s]), expected_values[s]);
    }
    for (std::size_t i = 0; i < s * shift; ++i) ASSERT_EQ(got_keys[s][i], kUntouched);
    for (std::size_t i = 1; i <= 3; ++i) ASSERT_EQ(got_keys[s][got_keys[s].size() - i], kUntouched);
  }
}

template <class Bits>
std::vector<Bits> some_keys(std::size_t n, unsigned kind) {
  std::mt19937_64 random(n + kind);
  std::vector<Bits> keys(n);
  for (std::size_t i = 0; i < n; ++i) {
    switch (kind) {
      case 0:
        keys[i] = static_cast<Bits>(random());
        break;
      case 1:
        keys[i] = static_cast<Bits>(random() % 3);
        break;
      case 2:
        keys[i] = static_cast<Bits>(i);
        break;
      case 3:
        keys[i] = static_cast<Bits>(~Bits{0});  // as the splitters behind the last
        break;
      default:
        keys[i] = random() % 20 == 0 ? static_cast<Bits>(random()) : Bits{5};
    }
  }
  return keys;
}

TEST(Deal, PutsEachItemIntoItsShareInOrder) {
  for (const unsigned kind : {0u, 1u, 2u, 3u, 4u}) {
    for (const std::size_t n : {33u, 8192u, 9'001u}) {
      const auto keys = some_keys<std::uint32_t>(n, kind);
      for (const std::size_t shares : {3u, 65u}) {
        const auto splitters = even_splitters(keys, shares);
        expect_deals<std::uint32_t, NoValue>(keys, splitters, 1, Turns::upwards);
      }
      expect_deals<std::uint32_t, std::uint32_t>(keys, even_splitters(keys, 16), 5,
                                                 Turns::downwards);
    }
  }
}

TEST(Deal, PutsWideKeysAndPairsIntoTheirShares) {
  for (const unsigned kind : {0u, 1u, 4u}) {
    const auto keys = some_keys<std::uint64_t>(9001, kind);
    expect_deals<std::uint64_t, NoValue>(keys, even_splitters(keys, kMostShares), 1,
                                         Turns::downwards);
    expect_deals<std::uint64_t, std::uint32_t>(keys, even_splitters(keys, 5), 7, Turns::upwards);
  }
}

TEST(Deal, HasSharesThatNoItemIsIn) {
  const auto keys = some_keys<std::uint32_t>(3000, 2);
  const std::vector<Splitter<std::uint32_t>> splitters = {
      {0, 0, 0}, {0, 0, 0}, {1500, 0, 1500}, {1500, 0, 1500}, {9999, 1, 0}};
  expect_deals<std::uint32_t, std::uint32_t>(keys, splitters, 3, Turns::upwards);
}

/// A run's first line begins where its target's line does, so that a warp fills whole lines.
TEST(Deal, LaysRunsOutAsTheLinesOfTheirTargets) {
  using Policy = DealPolicy<std::uint32_t>;
  constexpr unsigned kShares = 3;
  alignas(128) static std::uint32_t target[256];
  std::vector<std::uint64_t> shared(DealSpace<std::uint32_t, NoValue>::bytes(kShares) / 8 + 1);
  std::vector<unsigned> begins(kShares);
  unsigned lines = 0;
  Block::run(Policy::kThreads, Turns::upwards, [&] {
    const auto space =
        DealSpace<std::uint32_t, NoValue>::in(reinterpret_cast<std::byte*>(shared.data()), kShares);
    constexpr unsigned kCounts[] = {30, 0, 40}, kOffsets[] = {7, 9, 31};
    for (unsigned i = threadIdx.x; i < Policy::kWarps * kShares; i += Policy::kThreads) {
      space.counts[i] = i < kShares ? kCounts[i] : 0;
    }
    if (threadIdx.x < kShares) space.key_targets[threadIdx.x] = target + kOffsets[threadIdx.x];
    __syncthreads();
    const unsigned in_use = lay_out_runs(space);
    if (threadIdx.x == 0) lines = in_use;
    if (threadIdx.x < kShares) begins[threadIdx.x] = space.begins[threadIdx.x];
  });
  EXPECT_EQ(lines, 2u + 3u);  // 7 + 30 items; 31 + 40
  EXPECT_EQ(begins[0], 7u);
  EXPECT_EQ(begins[2], 64u + 31u);
}

}  // namespace
}  // namespace sortlab::tests
