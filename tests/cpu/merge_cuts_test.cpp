// The cuts of sorted runs in the SIMD merge sort: no key before a cut may be greater than a key
// behind it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "cpu/merge/simd/state.hpp"

namespace sortlab::cpu::merge::simd {
namespace {

using Key = std::int32_t;

/// Sorted runs of up to `most` keys, some of them empty, of `values` values.
struct Runs {
  Runs(int count, std::size_t most, int values, unsigned seed) : keys(count) {
    std::mt19937 random(seed);
    for (auto& run : keys) {
      run.resize(random() % (most + 1));
      for (Key& key : run) key = static_cast<Key>(random() % values);
      std::sort(run.begin(), run.end());
      begin.at[ways] = run.data();
      end.at[ways++] = run.data() + run.size();
    }
  }
  std::size_t size() const { return keys_between(begin, end, ways); }

  /// Whether all keys of [from, cut) are at most those of [cut, end).
  bool parts(const Positions<Key>& from, const Positions<Key>& cut) const {
    Key greatest = std::numeric_limits<Key>::min(), least = std::numeric_limits<Key>::max();
    for (int r = 0; r < ways; ++r) {
      if (cut.at[r] < from.at[r] || cut.at[r] > end.at[r]) return false;
      if (cut.at[r] > from.at[r]) greatest = std::max(greatest, cut.at[r][-1]);
      if (cut.at[r] < end.at[r]) least = std::min(least, *cut.at[r]);
    }
    return greatest <= least;
  }

  std::vector<std::vector<Key>> keys;
  Positions<Key> begin{}, end{};
  int ways = 0;
};

TEST(CutAtRank, PartsAtAboutTheRank) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Runs runs(1 + static_cast<int>(seed % kMaxWays), 1 + seed * 3, seed % 3 == 0 ? 2 : 1000,
                    seed);
    for (const std::size_t tolerance : {0, 1, 10}) {
      Positions<Key> before = runs.begin;
      for (std::size_t rank = 0; rank <= runs.size(); rank += 1 + runs.size() / 7) {
        Positions<Key> cut;
        cut_at_rank(runs.begin, runs.end, runs.ways, rank, tolerance, cut);
        ASSERT_TRUE(runs.parts(runs.begin, cut)) << "seed " << seed << ", rank " << rank;
        const std::size_t found = keys_between(runs.begin, cut, runs.ways);
        EXPECT_LE(found, rank + tolerance) << "seed " << seed;
        EXPECT_LE(rank, found + tolerance) << "seed " << seed;
        for (int r = 0; r < runs.ways && tolerance == 0; ++r) {
          EXPECT_LE(before.at[r], cut.at[r]) << "cuts at growing ranks cross";
        }
        before = cut;
      }
    }
  }
}

TEST(CutTile, PartsAndEndsAtTheEnd) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Runs runs(1 + static_cast<int>(seed % kMaxWays), 1 + seed * 3, seed % 3 == 0 ? 2 : 1000,
                    seed);
    constexpr std::size_t kMost = 100;
    Positions<Key> from = runs.begin;
    while (keys_between(from, runs.end, runs.ways) > 0) {
      Positions<Key> cut;
      cut_tile(from, runs.end, runs.ways, kMost, cut);
      ASSERT_TRUE(runs.parts(from, cut)) << "seed " << seed;
      const std::size_t size = keys_between(from, cut, runs.ways);
      ASSERT_GT(size, 0u) << "seed " << seed;
      EXPECT_LE(size, kMost + kMaxWays) << "seed " << seed;
      from = cut;
    }
  }
}

}  // namespace
}  // namespace sortlab::cpu::merge::simd
