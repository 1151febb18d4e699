// cpu/radix/pairs with one thread and more pairs than its leaves hold: as one large leaf, or with a
// partition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "common/contract/variant.hpp"
#include "cpu/radix/pairs/neighbours.hpp"
#include "tests/forced_isa.hpp"

namespace sortlab::cpu::radix::pairs {
namespace {

template <class Key>
void expect_sorted_by_one_thread(const std::vector<Key>& input) {
  const Variant* const variant = find_variant("cpu/radix/pairs");
  ASSERT_NE(variant, nullptr);
  const std::size_t n = input.size();
  std::vector<std::uint32_t> places(n), expected(n);
  std::iota(places.begin(), places.end(), 0u);
  expected = places;
  std::stable_sort(expected.begin(), expected.end(),
                   [&](auto a, auto b) { return input[a] < input[b]; });
  const auto* const instance = variant->instance(key_type_of<Key>(), 4, Order::ascending);
  const Params params(variant->info.params);
  for (const Isa isa : isas_of_this_cpu()) {
    std::vector<Key> keys = input;
    std::vector<std::uint32_t> values = places;
    std::vector<std::byte> workspace(variant->workspace_bytes({n, sizeof(Key), 4, 1, params}) +
                                     256);
    const auto address = reinterpret_cast<std::uintptr_t>(workspace.data());
    const std::span<std::byte> aligned(workspace.data() + (256 - address % 256),
                                       workspace.size() - 256);
    const ErasedJob job{instance, keys.data(), values.data(), nullptr, nullptr, n,
                        aligned,  1,           isa,           nullptr, &params};
    instance->sort(job);
    EXPECT_EQ(values, expected) << n << " pairs, " << name_of(isa);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(keys[i], input[expected[i]]);
  }
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
