// The words that gpu/radix/top_sweep sorts a leaf of pairs by, on the CPU: they hold whole buckets, with room for each
// key and place, and not too few of them at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "common/harness/input/distributions.hpp"
#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/radix/top_sweep/leaf_words.cuh"

namespace sortlab::tests::leaf_words {
namespace {

using gpu::radix::top_sweep::WordsOfLeaf;

/// A block of sort_pair_leaves.
struct Leaf {
  static constexpr unsigned kThreads = 256;
  static constexpr unsigned kItems = 12;
  static constexpr unsigned kMaxKeys = kThreads * kItems;
};

/// What the block takes of the keys: how many, and in which form.
template <class Bits>
std::pair<unsigned, WordsOfLeaf<Bits>> take(const Bits* keys, unsigned count, unsigned low_bits) {
  WordsOfLeaf<Bits> all(keys, count, low_bits);
  std::vector<unsigned> taken(Leaf::kThreads);
  Block::run(Leaf::kThreads, Turns::upwards, [&] {
    WordsOfLeaf<Bits> form(keys, count, low_bits);
    Bits words[Leaf::kItems];
    for (unsigned u = 0; u < Leaf::kItems; ++u) {
      const unsigned i = u * Leaf::kThreads + threadIdx.x;
      words[u] = i < count ? keys[i] - form.base : Bits{0};
    }
    taken[threadIdx.x] = form.have_room() ? count : take_fitting<Leaf>(words, keys, count, form);
    if (threadIdx.x == 37) all = form;
  });
  for (const unsigned of_thread : taken) EXPECT_EQ(of_thread, taken[0]);
  return {taken[0], all};
}

/// Sorts a leaf's keys by their top bits, then takes them part by part. Returns in how many parts.
template <class Bits>
unsigned parts_of(std::vector<Bits> keys, unsigned low_bits) {
  std::stable_sort(keys.begin(), keys.end(),
                   [=](Bits a, Bits b) { return a >> low_bits < b >> low_bits; });
  unsigned parts = 0;
  for (std::size_t begin = 0; begin < keys.size(); ++parts) {
    const auto [taken, form] =
        take(keys.data() + begin, static_cast<unsigned>(keys.size() - begin), low_bits);
    EXPECT_LE(form.key_bits + form.place_bits, 8 * sizeof(Bits));
    EXPECT_LE(taken, 1u << form.place_bits);
    const std::size_t end = begin + taken;
    if (taken == 0 || end > keys.size()) {
      ADD_FAILURE() << taken << " of " << keys.size() - begin;
      return parts;
    }
    for (std::size_t i = begin; i < end; ++i) {
      EXPECT_GE(keys[i], form.base) << i;
      EXPECT_EQ((keys[i] - form.base) >> form.key_bits, 0u) << i;
    }
    if (end < keys.size()) {
      EXPECT_NE(keys[end] >> low_bits, keys[end - 1] >> low_bits) << "a bucket is cut at " << end;
    }
    begin = end;
  }
  return parts;
}

/// The `count` least keys of n, or the greatest.
template <class Bits>
std::vector<Bits> end_of(const std::string& distribution, std::size_t n, std::size_t count,
                         bool is_first) {
  std::vector<Bits> keys(n);
  generate(std::span(keys), parse_distribution(distribution), 12345);
  const auto end = is_first ? keys.begin() : keys.end() - static_cast<std::ptrdiff_t>(count);
  std::nth_element(keys.begin(), is_first ? keys.begin() + static_cast<std::ptrdiff_t>(count) : end,
                   keys.end());
  return {end, end + static_cast<std::ptrdiff_t>(count)};
}

TEST(LeafWords, TakeNearKeysAtOnce) {
  for (const unsigned count : {1u, 2u, 31u, 1000u, Leaf::kMaxKeys}) {
    std::vector<std::uint32_t> keys(count);
    for (unsigned i = 0; i < count; ++i) keys[i] = 0x12340000 + i * 37 % 0x10000;
    EXPECT_EQ(parts_of(keys, 16), 1u) << count;
  }
}

/// With 11 bits for the place there is room for 32 buckets: more than 100 parts.
TEST(LeafWords, TakeTheEndsOfNormalKeysInFewParts) {
  for (const bool is_first : {true, false}) {
    EXPECT_LE(parts_of(end_of<std::uint32_t>("gaussian", 1 << 20, 1900, is_first), 16), 40u);
    EXPECT_LE(parts_of(end_of<std::uint32_t>("gaussian", 1 << 20, 3000, is_first), 16), 60u);
    EXPECT_LE(parts_of(end_of<std::uint64_t>("gaussian", 1 << 20, 1900, is_first), 48), 40u);
  }
}

TEST(LeafWords, TakeKeysFarApart) {
  for (const unsigned count : {2u, 15u, 16u, 17u, 40u, 1000u, Leaf::kMaxKeys}) {
    for (const std::uint32_t distance : {0x20000u, 0x150000u, 0x10000000u}) {
      std::vector<std::uint32_t> keys;
      for (std::uint64_t key = 7; key < 1ull << 32 && keys.size() < count; key += distance) {
        keys.push_back(static_cast<std::uint32_t>(key));
      }
      parts_of(keys, 16);
    }
  }
}

/// The part that would do by its number of items would cut the large bucket.
TEST(LeafWords, DoNotCutALargeBucket) {
  for (const unsigned large : {30u, 100u, 700u, 2500u}) {
    for (const unsigned before : {0u, 1u, 20u, 200u, 500u}) {
      std::vector<std::uint32_t> keys;
      for (unsigned i = 0; i < before; ++i) keys.push_back(i << 18 | i);
      for (unsigned i = 0; i < large; ++i) keys.push_back(before << 18 | i * 7919 % 0x10000);
      while (keys.size() < std::min(large + before + 300, Leaf::kMaxKeys)) {
        keys.push_back(static_cast<std::uint32_t>(keys.size()) << 20 | 5);
      }
      parts_of(keys, 16);
    }
  }
}

}  // namespace
}  // namespace sortlab::tests::leaf_words
