// cpu/radix/pairs: few pairs, leaves, few distinct keys, one large leaf, and buckets that are too large for a leaf. For all
// kinds of keys the result is that of a stable sort, in memory of the declared size.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tests/cpu/sorting.hpp"
#include "tests/effort.hpp"

namespace sortlab {
namespace {

const bool kReduced = kEffort == Effort::reduced;
constexpr std::size_t kLeaf = std::size_t{96}
                              << 10;  // the most pairs that one thread sorts as a leaf

template <class Key>
void expect_pairs_sorted(const std::vector<Key>& input, const std::vector<SortRun>& runs,
                         Order order = Order::ascending) {
  expect_sorted_by<Key, std::uint32_t>("cpu/radix/pairs", input, runs, order);
}
SortRun streamed(int threads) { return {.threads = threads, .params = {{"stream_from_mib", 0}}}; }
SortRun not_streamed(int threads) {
  return {.threads = threads, .params = {{"stream_from_mib", 1 << 20}}};
}

/// n random keys of `width` bits.
template <class Key>
std::vector<Key> random_keys(std::size_t n, int width = 8 * sizeof(Key)) {
  std::mt19937_64 random(n + static_cast<std::size_t>(width));
  std::vector<Key> keys(n);
  for (Key& key : keys) key = static_cast<Key>(random() >> (64 - width));
  return keys;
}
/// n keys, each of them one of so many.
template <class Key>
std::vector<Key> keys_of(std::size_t n, std::size_t distinct) {
  std::mt19937_64 random(1);
  std::vector<Key> all(distinct), keys(n);
  for (auto& key : all) key = static_cast<Key>(static_cast<std::int64_t>(random()));
  for (auto& key : keys) key = all[random() % distinct];
  return keys;
}

/// Eight times these keys of at most `width` bits, mixed. They differ in bits above these, so that a partition makes a
/// bucket of each of the eight, in the order of `keys`.
template <class Key>
std::vector<Key> eight_buckets(const std::vector<Key>& keys, int width) {
  std::vector<Key> all(8 * keys.size());
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    const Key bucket = (i + (i / 8 * 0x9E3779B1u >> 29)) % 8;  // at no fixed distance
    all[i] = bucket << (width + 3) | keys[i / 8];
  }
  return all;
}
/// Whether results bypass the caches, or do not.
template <class Key>
void expect_packed_leaves_sorted(const std::vector<Key>& keys) {
  expect_pairs_sorted(keys, runs_of({1}, streamed(1)));
  expect_pairs_sorted(keys, runs_of({1, 4}, not_streamed(1)));
}
/// As one leaf, and as packed leaves of known width. `width` is at most that of all bits but six.
template <class Key>
void expect_leaves_sorted(const std::vector<Key>& keys, int width) {
  expect_pairs_sorted(keys, runs_of({1}));
  expect_packed_leaves_sorted(eight_buckets(keys, width));
}

template <class Bits>
class PairsOf : public testing::Test {};
using Widths = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(PairsOf, Widths);

// A few pairs are one piece.

TYPED_TEST(PairsOf, AFewKindsAreSortedInLittleMemory) {
  constexpr int kAll = static_cast<int>(8 * sizeof(TypeParam));
  const TypeParam highest = TypeParam{1} << (kAll - 1);
  for (const std::size_t n : {1, 2, 16, 24, 25, 128, 129, 160, 255, 256, 257, 300, 511, 512, 513}) {
    expect_pairs_sorted(random_keys<TypeParam>(n), runs_of({1}));
    expect_pairs_sorted(random_keys<TypeParam>(n, 5), runs_of({1}));
    expect_pairs_sorted(std::vector<TypeParam>(n, TypeParam{7}), runs_of({1}));
    auto keys = random_keys<TypeParam>(n);
    for (auto& key : keys) key &= ~(highest - 1) | 0xFFFF;  // the numbers distinguish only two keys
    expect_pairs_sorted(keys, runs_of({1}));
    keys = random_keys<TypeParam>(n);
    for (auto& key : keys) key %= highest / 512 + 1;
    keys.back() |= highest;  // nor here
    expect_pairs_sorted(keys, runs_of({1}));
  }
}

// Up to kLeaf pairs are one leaf, in place. More are partitioned to leaves, which are packed.

TYPED_TEST(PairsOf, LeavesAreSortedAtEverySize) {
  for (const std::size_t n : {600, 4095, 50'001}) {
    expect_pairs_sorted(random_keys<TypeParam>(n, 30), runs_of({1}));
  }
  for (const std::size_t n : {kLeaf, 4 * kLeaf}) {
    expect_pairs_sorted(random_keys<TypeParam>(n, 30), runs_of({1}));
    expect_pairs_sorted(random_keys<TypeParam>(n, 7), runs_of({1}));
  }
}

TYPED_TEST(PairsOf, LeavesHavePiecesOfEverySize) {
  constexpr int kWidth = 26;
  for (const std::size_t alike : {200, 257, 4096, 4097, 30'000}) {  // one key, so often
    auto keys = random_keys<TypeParam>(40'000, kWidth);
    for (std::size_t i = 0; i < alike; ++i) keys[i * 37 % keys.size()] = 12345;
    expect_leaves_sorted(keys, kWidth);
  }
}

TYPED_TEST(PairsOf, LeavesMayHaveEqualKeys) {
  // The first digit of 16 threads has 7 bits: no bit of a leaf's keys differs.
  expect_pairs_sorted(random_keys<TypeParam>(300'000, 7), {streamed(16), not_streamed(16)});
  // And where bits may differ, but none does.
  auto keys = eight_buckets(random_keys<TypeParam>(40'000, 26), 26);
  for (auto& key : keys) {
    if (key >> 29 == 5) key = TypeParam{5} << 29 | 12345;
  }
  expect_packed_leaves_sorted(keys);
}

TYPED_TEST(PairsOf, LeavesLookAtBitsThatNumbersHaveNoRoomFor) {
  constexpr int kAll = static_cast<int>(8 * sizeof(TypeParam));
  auto keys = random_keys<TypeParam>(40'000);
  for (auto& key : keys) {
    key = (key & ~(static_cast<TypeParam>(0xFFFFF) << (kAll - 32))) >> 6;
  }
  expect_leaves_sorted(keys, kAll - 6);
}

/// Unevenly spread keys of several kinds.
template <class Bits>
std::vector<std::vector<Bits>> crowded_keys(std::size_t n) {
  constexpr int kAll = static_cast<int>(8 * sizeof(Bits));
  std::mt19937_64 random(7);
  const auto word = [&] { return static_cast<Bits>(random()); };
  std::vector<std::vector<Bits>> made;
  const auto add = [&](auto key_at) {
    auto& keys = made.emplace_back(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<Bits>(key_at(i));
  };
  add([&](auto) { return word() >> word() % kAll; });                             // every magnitude
  add([&](auto) { return (word() & 0x3FF) << (kAll - 12) | (word() & 0xFFF); });  // two fields
  add([&](auto) { return word() & word() & word(); });                            // few ones
  add([&](auto) { return word() % 8 < 7 ? Bits{77} : word(); });                  // mostly one key
  add([&](auto) { return word() % 16 < 9 ? word() % 5 * 1000 : word(); });  // some are frequent
  add([&](auto i) { return Bits{1} << i % kAll; });  // a digit separates few of them
  add([&](auto i) {
    return i % 97 == 0 ? word() : (word() & 0xFFFFF) | 0x5A000000;
  });  // one cluster
  return made;
}

TYPED_TEST(PairsOf, LeavesSortKeysThatCrowd) {
  for (const std::size_t n : {3000, 50'000, 300'000}) {
    if (kReduced && n == 300'000) continue;
    for (const auto& keys : crowded_keys<TypeParam>(n)) {
      expect_pairs_sorted(keys, runs_of({1}));
      if (n == 300'000) expect_pairs_sorted(keys, {streamed(1), not_streamed(1), {.threads = 4}});
    }
  }
}

TYPED_TEST(PairsOf, LeavesMakeUpForALookThatMissed) {
  // Keys are spread evenly at the places that the leaf samples: every 64th, or 256th. All others are one of two.
  constexpr int kWidth = 26;
  auto keys = random_keys<TypeParam>(65'536, kWidth);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i % 64 != 0) keys[i] = i % 3 == 0 ? 0x155555 : 0x2AAAAAA;
  }
  expect_leaves_sorted(keys, kWidth);
}

// Keys that differ in few bits are counted, too.

/// n keys whose differing bits are `width` neighbours from bit `low` on.
template <class Key>
std::vector<Key> narrow_keys(std::size_t n, int width, int low, BitsOf<Key> rest = 0) {
  std::vector<Key> keys(n);
  const auto digits = random_keys<BitsOf<Key>>(n, width);
  std::ranges::transform(digits, keys.begin(), [&](auto digit) {
    return std::bit_cast<Key>(static_cast<BitsOf<Key>>(digit << low | rest));
  });
  return keys;
}

TEST(Pairs, OfKeysWithFewDifferingBits) {
  for (const Order order : {Order::ascending, Order::descending}) {
    for (const std::size_t n : {600, 5000, 98'304, 100'003, 140'000}) {
      expect_pairs_sorted(narrow_keys<std::uint32_t>(n, 6, 0), {{.threads = 1}, {.threads = 4}},
                          order);
      expect_pairs_sorted(narrow_keys<std::int32_t>(n, 6, 26, 5), {{.threads = 1}}, order);
      expect_pairs_sorted(narrow_keys<float>(n, 5, 27, 0x1234), {{.threads = 1}}, order);
      expect_pairs_sorted(narrow_keys<double>(n, 6, 58, 0x1234), {{.threads = 1}}, order);
      expect_pairs_sorted(narrow_keys<std::int64_t>(n, 6, 40), {{.threads = 1}}, order);
      expect_pairs_sorted(narrow_keys<double>(n, 3, 8, std::uint64_t{1} << 63), {{.threads = 1}},
                          order);
    }
    expect_pairs_sorted(narrow_keys<std::uint64_t>(100'003, 13, 7), {{.threads = 1}}, order);
    expect_pairs_sorted(narrow_keys<std::uint32_t>(600'000, 16, 3), {{.threads = 1}}, order);
  }
  auto keys = narrow_keys<std::uint32_t>(100'003, 6, 4);
  keys[71'234] = 1u << 31;  // which no look at a few keys sees
  expect_pairs_sorted(keys, {{.threads = 1}});
}

// Few distinct keys are counted.

template <class Key>
void expect_counted_and_sorted(const std::vector<Key>& input, Order order = Order::ascending) {
  expect_pairs_sorted(input, {{.threads = 1}, {.threads = 4}, streamed(1), streamed(4)}, order);
}

TEST(Pairs, OfTheMostKeysThatAreCounted) {
  for (const std::size_t distinct : {2, 3, 16, 63, 64, 65}) {
    expect_counted_and_sorted(keys_of<std::uint32_t>(70'001, distinct));
  }
  expect_counted_and_sorted(keys_of<std::uint64_t>(65'536, 64));
  expect_counted_and_sorted(keys_of<std::int64_t>(100'000, 20));
}

TEST(Pairs, OfFewKeysAreRestoredFromBits) {
  expect_counted_and_sorted(keys_of<double>(70'000, 30));
  expect_counted_and_sorted(keys_of<float>(70'000, 30), Order::descending);
  expect_counted_and_sorted(keys_of<std::int32_t>(70'000, 5), Order::descending);
}

TEST(Pairs, OfFewKeysAndSomeThatASampleMissed) {
  for (const std::size_t stray : {1, 35'000, 69'999}) {
    auto keys = keys_of<std::uint32_t>(70'000, 16);
    keys[stray] = 12'345;
    expect_counted_and_sorted(keys);
    keys[stray] = 0;
    expect_counted_and_sorted(keys);
  }
  for (const std::size_t strays : {1, 2, 10}) {  // as many as there may be, and others
    auto keys = keys_of<std::uint32_t>(70'000, 64);
    for (std::uint32_t i = 0; i < strays; ++i) keys[7'000 * i + 1] = 3 * i;
    expect_counted_and_sorted(keys);
  }
  auto keys = keys_of<std::uint32_t>(70'000, 16);
  for (std::uint32_t i = 0; i < 20; ++i) keys[501 * i + 1] = 200 + i;
  expect_counted_and_sorted(keys);
  for (std::uint32_t i = 0; i < 60; ++i) keys[1001 * i + 1] = 100 + i;
  expect_counted_and_sorted(keys);
}

// With one thread, more pairs than a leaf holds may be one large leaf.

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

TEST(Pairs, OfOneLargeLeaf) {
  expect_pairs_sorted(random_keys<std::uint32_t>(kLeaf + 1), runs_of({1}));
  expect_pairs_sorted(keys_of<double>(150'000, 150'000), runs_of({1}));
  expect_pairs_sorted(random_keys<std::int64_t>(256 << 10), runs_of({1}));
  expect_pairs_sorted(walk<std::uint32_t>((256 << 10) + 1), runs_of({1}));
  expect_pairs_sorted(walk<float>(300'000), runs_of({1}));
}

// Buckets that are too large for a leaf are partitioned again.

template <class Key>
void expect_split_and_sorted(const std::vector<Key>& input, Order order = Order::ascending) {
  std::vector<SortRun> runs = runs_of({4});
  runs.push_back(streamed(3));
  if (!kReduced) runs.push_back(not_streamed(1));
  expect_pairs_sorted(input, runs, order);
}

/// Random keys, a part of which `special` makes.
template <class Key, class Special>
std::vector<Key> mixed(std::size_t n, double part, Special special) {
  std::mt19937_64 random(3);
  std::vector<Key> keys(n);
  for (auto& key : keys) {
    const bool is_special = static_cast<double>(random() >> 11) * 0x1p-53 < part;
    key = is_special ? special(random()) : static_cast<Key>(static_cast<std::int64_t>(random()));
  }
  return keys;
}

TEST(Pairs, SortsAroundAFrequentKey) {
  constexpr std::uint64_t kKey = 0x123456789ABCDEF;
  for (const double part : {0.3, 0.6, 0.999}) {
    if (kReduced && part != 0.6) continue;
    expect_split_and_sorted(mixed<std::uint64_t>(500'000, part, [&](auto) { return kKey; }));
  }
  // The others are less, greater, and on both sides.
  for (const std::uint64_t first : {kKey - 100, kKey, kKey + 1}) {
    if (kReduced && first != kKey) continue;
    expect_split_and_sorted(mixed<std::uint64_t>(400'000, 0.5, [&](std::uint64_t word) {
      return word % 4 > 0 ? kKey : first + word / 4 % 100;
    }));
  }
}

TEST(Pairs, RestoresAFrequentKeyFromBits) {
  expect_split_and_sorted(mixed<double>(400'000, 0.5, [](auto) { return -1.5; }));
  expect_split_and_sorted(mixed<std::int32_t>(400'000, 0.4, [](auto) { return -7; }),
                          Order::descending);
}

TEST(Pairs, SplitsBucketsByOneThreadAndByAll) {
  // Of 1.2 million pairs, one of four threads splits a bucket of 300,000; all split a larger one.
  for (const double part : {0.1, 0.2, 0.7}) {
    if (kReduced && part == 0.1) continue;
    expect_split_and_sorted(mixed<std::uint64_t>(1'200'000, part, [](std::uint64_t word) {
      return std::uint64_t{0x4242424242} << 24 | word % 100'000;
    }));
    if (kReduced) continue;
    expect_split_and_sorted(mixed<std::uint32_t>(1'200'000, part, [](std::uint64_t word) {
      return 0x42424200u + static_cast<std::uint32_t>(word % 200);
    }));
  }
}

TEST(Pairs, SplitsABucketAgainAndAgain) {
  // Each half of the keys lies within a 256th of the one before.
  expect_split_and_sorted(mixed<std::uint64_t>(1'000'000, 1.0, [](std::uint64_t word) {
    return word >> 8 * std::min(7, std::countr_zero(word | 128));
  }));
}

}  // namespace
}  // namespace sortlab
