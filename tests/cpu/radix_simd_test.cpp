// cpu/radix/simd on inputs that mislead it: keys at the borders of its parts, a few keys beyond the range of a sample,
// keys that differ only in bits that a slot does not compare, narrow ranges (which are counted), values that come
// often, and nearly ordered keys.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "common/threads/team.hpp"
#include "tests/cpu/sorting.hpp"

namespace sortlab {
namespace {

template <class Key>
void expect_sorted(const std::vector<Key>& input) {
  expect_sorted_by("cpu/radix/simd", input, runs_of({1, 4}));
}

// Every other key of a range, so that keys lie at the borders of all parts, or next to them.
TEST(RadixSimd, SortsKeysAtTheBordersOfParts) {
  constexpr std::int64_t kRange = 2'000'000;
  for (const std::int64_t lowest : {-kRange / 2, std::int64_t{7}}) {
    std::vector<std::int32_t> keys(kRange / 2);
    std::vector<std::int64_t> wide(keys.size());
    for (std::size_t i = 0; i < wide.size(); ++i) {
      wide[i] = lowest + 2 * static_cast<std::int64_t>(i);
    }
    std::shuffle(wide.begin(), wide.end(), std::mt19937_64(9));
    std::ranges::transform(wide, keys.begin(),
                           [](auto key) { return static_cast<std::int32_t>(key); });
    expect_sorted(keys);
    expect_sorted(wide);
  }
}

// The range is a power of two, and the keys are at the borders of all numbers of parts, and next to them.
TEST(RadixSimd, SortsKeysOfAllOfTheRange) {
  std::set<std::uint32_t> borders;
  for (std::uint64_t ways = 2; ways <= 700; ++ways) {
    for (std::uint64_t part = 0; part <= ways; ++part) {
      const auto border = static_cast<std::uint32_t>(((part << 32) + ways - 1) / ways);
      borders.insert({border, border - 1, border + 1});
    }
  }
  std::vector<std::uint32_t> keys(borders.begin(), borders.end());
  std::shuffle(keys.begin(), keys.end(), std::mt19937_64(10));
  expect_sorted(keys);
  std::vector<std::uint64_t> wide(keys.size());
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const std::uint64_t low =
        i % 2 == 0 ? 0 : 0xFFFFFFFF;  // the last key of a part, or the first one
    wide[i] = std::uint64_t{keys[i]} << 32 | low;
  }
  expect_sorted(wide);
}

/// With three threads even if earlier runs have left the process's team fewer: a new team is complete.
template <class Key>
void expect_sorted_by_three(const std::vector<Key>& input) {
  for (const SortRun& run : runs_of({3})) {
    team::limit(3);
    ASSERT_EQ(team::at_hand(3), 3);
    expect_sorted_by("cpu/radix/simd", input, {run});
  }
  team::limit(0);
}

// Uneven keys of more than 16 MiB, for several threads: digits follow a curve.
TEST(RadixSimd, SortsKeysByACurve) {
  std::mt19937_64 random(11);
  std::exponential_distribution<double> exponential;
  std::vector<std::uint32_t> keys(4'500'000);
  std::vector<std::uint64_t> wide(keys.size() / 2);
  for (auto& key : keys)
    key = static_cast<std::uint32_t>(std::min(0x1p31, exponential(random) * 0x1p24));
  for (auto& key : wide)
    key = static_cast<std::uint64_t>(std::min(0x1p62, exponential(random) * 0x1p24));
  expect_sorted_by_three(keys);
  expect_sorted_by_three(wide);
}

TEST(RadixSimd, SortsKeysBeyondTheRangeOfASample) {
  std::mt19937_64 random(2);
  std::vector<std::uint32_t> keys(300'000);
  for (auto& key : keys) key = 1'000'000'000 + static_cast<std::uint32_t>(random() % 500'000'000);
  for (std::size_t i = 0; i < 20; ++i) {
    keys[random() % keys.size()] = static_cast<std::uint32_t>(i);
    keys[random() % keys.size()] = static_cast<std::uint32_t>(0xFFFFFFFF - i);
  }
  expect_sorted(keys);
}

TEST(RadixSimd, SortsKeysThatDifferInTheLastBits) {
  std::mt19937_64 random(3);
  std::vector<std::uint64_t> keys(200'000);
  for (auto& key : keys) key = random() % 50'000 << 45 | random() % 1000;
  expect_sorted(keys);
}

TEST(RadixSimd, SortsEvenKeysWithACrowdedPart) {
  std::mt19937_64 random(4);
  std::vector<std::uint32_t> keys(300'000);
  for (auto& key : keys) key = static_cast<std::uint32_t>(random());
  for (std::size_t i = 0; i < 3'000; ++i) keys[random() % keys.size()] = 77'000'000 + random() % 50;
  expect_sorted(keys);
}

TEST(RadixSimd, SortsEvenKeysWhoseValuesComeOften) {
  std::mt19937_64 random(8);
  for (const std::size_t times : {2, 10, 100}) {
    std::vector<std::uint32_t> keys(300'000);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = i < keys.size() / times ? static_cast<std::uint32_t>(random())
                                        : keys[random() % (keys.size() / times)];
    }
    expect_sorted(keys);
    std::vector<std::uint64_t> wide(keys.begin(), keys.end());
    for (auto& key : wide) key *= 0x100000001;
    expect_sorted(wide);
  }
}

/// Keys from `lowest` on, smaller ones more often than greater ones.
template <class Key>
std::vector<Key> narrow_keys(std::size_t n, Key lowest) {
  std::mt19937_64 random(5);
  std::vector<Key> keys(n);
  for (auto& key : keys)
    key = static_cast<Key>(lowest + static_cast<Key>(random() % 5000 >> random() % 13));
  return keys;
}

TEST(RadixSimd, CountsKeysOfANarrowRange) {
  for (const std::size_t n : {300'000, 300'007}) {
    expect_sorted(narrow_keys<std::uint32_t>(n, 0));
    expect_sorted(narrow_keys<std::uint32_t>(n, 0xFFFFFFFF - 4999));
    expect_sorted(narrow_keys<std::int32_t>(n, -1000));
    expect_sorted(narrow_keys<std::uint64_t>(n, std::uint64_t{1} << 63));
    expect_sorted(narrow_keys<std::int64_t>(n, std::numeric_limits<std::int64_t>::min()));
  }
}

TEST(RadixSimd, CountsDifferentNarrowKeysOnce) {  // one copy of the counters
  std::mt19937_64 random(6);
  std::vector<std::uint32_t> keys(5'000'000);
  for (auto& key : keys) key = static_cast<std::uint32_t>(random() % 300'000);
  expect_sorted(keys);
}

TEST(RadixSimd, SortsANarrowRangeWithKeysBeyondIt) {
  auto keys = narrow_keys<std::uint32_t>(300'000, 1'000'000);
  keys[777] = 7;
  expect_sorted(keys);
  keys[200'000] = 0xFFFFFFFF;
  expect_sorted(keys);
}

/// One of 100 keys is far below the others or far above, or one of 200 each. Then one key is on the other side, too.
TEST(RadixSimd, CountsKeysBetweenTails) {
  std::mt19937_64 random(11);
  const auto expect_sorted_with_tails = [&]<class Key>(std::vector<Key> keys, bool lower,
                                                       bool higher) {
    const Key middle = keys[0], least = std::numeric_limits<Key>::min();
    const auto below = [&] {
      return static_cast<Key>(least + static_cast<Key>(random() % 100'000));
    };
    const auto above = [&] {
      return static_cast<Key>(middle + static_cast<Key>(random() % 1'000'000'000));
    };
    for (std::size_t i = 3; i < keys.size(); i += 100) {
      keys[i] = lower && (!higher || i % 200 < 100) ? below() : above();
    }
    expect_sorted(keys);
    keys[keys.size() / 2] = lower ? std::numeric_limits<Key>::max() : least;
    expect_sorted(keys);
  };
  for (const auto& [lower, higher] : {std::pair{true, false}, {false, true}, {true, true}}) {
    for (const std::size_t n : {20'011, 300'007}) {
      expect_sorted_with_tails(narrow_keys<std::uint32_t>(n, 1'000'000'000), lower, higher);
      expect_sorted_with_tails(narrow_keys<std::int32_t>(n, -1000), lower, higher);
      expect_sorted_with_tails(narrow_keys<std::uint64_t>(n, 1'000'000'000'000), lower, higher);
      expect_sorted_with_tails(narrow_keys<std::int64_t>(n, 1000), lower, higher);
    }
  }
}

/// The sample of 1024 keys has the narrow ones alone; all others, which are many, lie far from these.
TEST(RadixSimd, SortsKeysWhoseTailsASampleMisses) {
  constexpr std::size_t kSampled = 1024, kStep = 256;
  std::mt19937_64 random(12);
  std::vector<std::uint32_t> keys(kSampled * kStep);
  for (auto& key : keys) key = static_cast<std::uint32_t>(random());
  for (std::size_t i = 0; i < kSampled; ++i) {  // as CacheSort::take_sample() looks at them
    const std::size_t place = i * kStep + (kStep * (i * 40503 & 0xFFFF) >> 16);
    if (i % 32 != 0) keys[place] = static_cast<std::uint32_t>(1'000'000 + random() % 5000);
  }
  expect_sorted(keys);
}

TEST(RadixSimd, SortsKeysInOrderButForSome) {
  std::mt19937_64 random(7);
  std::vector<std::uint32_t> up(400'003);
  std::vector<std::uint64_t> pipe(300'001);
  for (std::size_t i = 0; i < up.size(); ++i) up[i] = static_cast<std::uint32_t>(i * 10'000);
  for (std::size_t i = 0; i < pipe.size(); ++i) pipe[i] = std::min(i, pipe.size() - i) << 45;
  expect_sorted(pipe);
  for (const std::size_t swaps : {1, 100, 5'000}) {
    for (std::size_t i = 0; i < swaps; ++i) {
      std::swap(up[random() % up.size()], up[random() % up.size()]);
      std::swap(pipe[random() % pipe.size()], pipe[random() % pipe.size()]);
    }
    expect_sorted(up);
    expect_sorted(pipe);
  }
  // The keys that a batch's probes read are in order, the rest is not.
  for (std::size_t i = 0; i < up.size(); ++i) {
    up[i] = i % 128 < 96 ? static_cast<std::uint32_t>(random())
                         : static_cast<std::uint32_t>(i * 10'000);
  }
  expect_sorted(up);
}

}  // namespace
}  // namespace sortlab
