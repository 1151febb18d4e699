// cpu/merge/simd with small blocks and tiles, so that few keys are merged from many runs, in many pieces and tiles.
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/cpu/sorting.hpp"

namespace sortlab {
namespace {

void expect_merged(const std::vector<std::int32_t>& keys, std::int64_t block_kib = 1) {
  const SortRun like{.params = {{"block_kib", block_kib}, {"tile_kib", 1}}};
  expect_sorted_by("cpu/merge/simd", keys, runs_of({1, 2, 3, 8}, like));
}

/// n keys of so many values.
std::vector<std::int32_t> random_keys(std::size_t n, std::uint64_t values) {
  std::mt19937_64 random(n + values);
  std::vector<std::int32_t> keys(n);
  for (auto& key : keys) key = static_cast<std::int32_t>(random() % values);
  return keys;
}

TEST(MergeSimd, MergesRunsOfFewAndOfManyValues) {
  for (const std::size_t n : {5'000, 16'384, 100'003}) {
    for (const std::uint64_t values : {2, 3, 100, 1'000'000'000}) {
      expect_merged(random_keys(n, values));
    }
  }
}

TEST(MergeSimd, MergesRunsOfOtherLengths) {
  for (std::size_t n = 3'000; n < 12'000; n += 611) {
    expect_merged(random_keys(n, 1'000'000));
    expect_merged(random_keys(n, 50), 3);
  }
}

// The keys of a tile come from one run, then from another; the other runs have none there.
TEST(MergeSimd, MergesRunsThatOverlapLittle) {
  for (const std::size_t run : {256, 2'000}) {
    auto keys = random_keys(60'000, 1'000);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] += static_cast<std::int32_t>(i / run * 7'919 % 97) * 1'000;
    }
    expect_merged(keys);
  }
}

}  // namespace
}  // namespace sortlab
