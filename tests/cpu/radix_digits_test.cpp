// How cpu/radix/simd cuts a range of keys into parts, and inputs that mislead it. These are a few
// keys beyond the range of a sample, keys that differ only in bits that a slot does not compare,
// narrow ranges (which are counted), values that come often, and nearly ordered keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "common/contract/isa.hpp"
#include "common/contract/variant.hpp"
#include "cpu/radix/simd/state.hpp"
#include "tests/forced_isa.hpp"

namespace sortlab::cpu::radix::simd {
namespace {

/// Whether the parts of a range follow each other from its first key to its last.
template <class Parts, class Key>
void expect_parts_tile(const Parts& parts, const Range<Key>& range, std::size_t ways) {
  Offset<Key> next = 0;
  bool done = false;
  for (std::size_t d = 0; d < ways; ++d) {
    const Range<Key> part = parts.part(d);
    const auto first = static_cast<Offset<Key>>(static_cast<Offset<Key>>(part.lowest) -
                                                static_cast<Offset<Key>>(range.lowest));
    const Key last = static_cast<Key>(static_cast<Offset<Key>>(part.lowest) + part.last);
    if (done || parts.of_key(part.lowest) != d) continue;  // no key has this digit
    ASSERT_EQ(first, next) << "digit " << d;
    ASSERT_EQ(parts.of_key(last), d);
    next = first + part.last + 1;
    done = first + part.last == range.last;
  }
  EXPECT_TRUE(done);
  if (range.last == std::numeric_limits<Offset<Key>>::max()) return;
  EXPECT_EQ(parts.of_key(static_cast<Key>(static_cast<Offset<Key>>(range.lowest) - 1)), ways);
  EXPECT_EQ(parts.of_key(static_cast<Key>(static_cast<Offset<Key>>(range.lowest) + range.last + 1)),
            ways);
}

template <class Key>
std::vector<Range<Key>> ranges() {
  constexpr auto kLeast = std::numeric_limits<Key>::min();
  constexpr auto kAll = std::numeric_limits<Offset<Key>>::max();
  return {{kLeast, kAll},     {kLeast, kAll - 1},  {kLeast, kAll / 3}, {-5, 4100},
          {-70000, 1u << 20}, {kLeast + 9, 65535}, {1000, kAll / 5},   {0, kAll / 2}};
}

template <class Key>
class Parts : public testing::Test {};
using Keys = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Parts, Keys);

TYPED_TEST(Parts, OfDigitsTileTheRange) {
  for (const auto& range : ranges<TypeParam>()) {
    for (const std::size_t ways : {1, 2, 3, 16, 129, 1000, 2046}) {
      expect_parts_tile(Digits<TypeParam>::of(range, ways), range, ways);
    }
  }
}

TYPED_TEST(Parts, OfCurvesTileTheRange) {
  std::mt19937_64 random(1);
  typename Curve<TypeParam>::Cell cells[Curve<TypeParam>::kCells];
  for (const auto& range : ranges<TypeParam>()) {
    for (const std::size_t ways : {4, 129, 2046}) {
      std::vector<TypeParam> sample(500);
      for (auto& key : sample) {  // half of them close to the lowest
        const auto offset =
            static_cast<Offset<TypeParam>>(random()) >> random() % 40 % (8 * sizeof(key));
        key = static_cast<TypeParam>(static_cast<Offset<TypeParam>>(range.lowest) +
                                     std::min<Offset<TypeParam>>(offset, range.last));
      }
      const auto curve = Curve<TypeParam>::of(range, ways, sample.data(), sample.size(), cells);
      expect_parts_tile(curve, range, ways);
    }
  }
}

/// Sorts by the registered code with each instruction set, on one thread and on four.
template <class Key>
void expect_sorted(const std::vector<Key>& input) {
  const Variant* const variant = find_variant("cpu/radix/simd");
  ASSERT_NE(variant, nullptr);
  std::vector<Key> sorted = input;
  std::sort(sorted.begin(), sorted.end());
  const Params params(variant->info.params);
  const auto* const instance = variant->instance(key_type_of<Key>(), 0, Order::ascending);
  for (const Isa isa : isas_of_this_cpu()) {
    for (const int threads : {1, 4}) {
      std::vector<Key> keys = input, alternate(input.size());
      std::vector<std::byte> workspace(
          variant->workspace_bytes({keys.size(), sizeof(Key), 0, threads, params}));
      const ErasedJob job{instance,  keys.data(), nullptr, alternate.data(), nullptr, keys.size(),
                          workspace, threads,     isa,     nullptr,          &params};
      instance->sort(job);
      EXPECT_EQ(keys, sorted) << name_of(isa) << ", " << threads << " threads";
    }
  }
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
}  // namespace sortlab::cpu::radix::simd
