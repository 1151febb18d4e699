// cpu/radix/pairs with one thread and more pairs than its leaves hold: as one large leaf, or with a
// partition.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "cpu/radix/pairs/sort.hpp"
#include "tests/cpu/pair_sorting.hpp"
#include "tests/forced_isa.hpp"

namespace sortlab::cpu::radix::pairs {
namespace {

template <class Key>
void expect_sorted_by_one_thread(const std::vector<Key>& input) {
  std::vector<PairRun> runs;
  for (const Isa isa : isas_of_this_cpu()) runs.push_back({.threads = 1, .isa = isa});
  expect_pairs_sorted(input, runs);
}

/// Each key close to the one before.
template <class Key>
std::vector<Key> walk(std::size_t n) {
  std::mt19937_64 random(5);
  std::vector<Key> keys(n);
  std::int64_t at = 1 << 30;
  for (auto& key : keys)
    key = static_cast<Key>(at += static_cast<std::int64_t>(random() % 2001) - 1000);
  return keys;
}
template <class Key>
std::vector<Key> random_words(std::size_t n) {
  std::mt19937_64 random(5);
  std::vector<Key> keys(n);
  for (auto& key : keys) key = static_cast<Key>(static_cast<std::int64_t>(random()));
  return keys;
}

TEST(PairLargeLeaf, SortsMorePairsThanALeafHolds) {
  expect_sorted_by_one_thread(random_words<std::uint32_t>((96 << 10) + 1));
  expect_sorted_by_one_thread(random_words<double>(150'000));
  expect_sorted_by_one_thread(random_words<std::int64_t>(256 << 10));
}

TEST(PairLargeLeaf, SortsPairsWhoseNeighboursAreClose) {
  expect_sorted_by_one_thread(walk<std::uint32_t>((256 << 10) + 1));
  expect_sorted_by_one_thread(walk<float>(300'000));
  expect_sorted_by_one_thread(
      random_words<std::uint32_t>((256 << 10) + 1));  // none: by a partition
}

TEST(PairLargeLeaf, TellsWhetherNeighboursAreClose) {
  const auto close = [](std::vector<std::uint32_t> keys) {
    const msd::Source<Items<std::uint32_t, std::uint32_t>> source{keys.data(), nullptr,
                                                                  msd::load_bits<std::uint32_t>};
    return neighbours_are_close(source, keys.size());
  };
  EXPECT_TRUE(close(walk<std::uint32_t>(5000)));
  EXPECT_FALSE(close(random_words<std::uint32_t>(5000)));
}

}  // namespace
}  // namespace sortlab::cpu::radix::pairs
