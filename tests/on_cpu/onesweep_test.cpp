// gpu/radix/onesweep on the CPU: any keys, and as many passes as their range asks for.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "common/harness/input/distributions.hpp"
#include "tests/on_cpu/sorts_on_cpu.hpp"
// The words of CUDA come first.
#define SORTLAB_VARIANT_ID "gpu/radix/onesweep"
#define SORTLAB_VARIANT_ENTRY describe_onesweep
#include "gpu/radix/onesweep.cu"
// The passes, for all sorts of this program that call them.
#define SORTLAB_UNIT_KEY std::uint32_t
#define SORTLAB_UNIT_VALUE NoValue
#include "gpu/primitives/grid/sweep/sweeps.cu"

namespace sortlab::gpu::sweep {

template struct Sweeps<std::uint32_t, std::uint32_t>;
template struct Sweeps<std::uint64_t, NoValue>;
template struct Sweeps<std::uint64_t, std::uint32_t>;

}  // namespace sortlab::gpu::sweep

namespace sortlab::tests::onesweep {
namespace {

const std::string kOnesweep = added(&describe_onesweep);

TEST(Onesweep, SortsAnyKeys) {
  // A tile of u32 has 4224 keys.
  expect_sorts(kOnesweep, {1, 1000, 4224, 4225, 9001},
               {"uniform", "zipf:1.0", "special", "heavy", "reverse", "text", "equal", "sorted"},
               {KeyType::u32, KeyType::f32, KeyType::u64, KeyType::i64});
}

/// Sorts keys by passes over their digits, and says how many these were. They begin `misalign` keys behind a boundary of
/// 16 bytes.
template <class Key>
unsigned sort_by_passes(std::vector<Key>& keys, Order order, std::size_t misalign = 0,
                        bool nans_last = false) {
  std::vector<Key> source(misalign + keys.size()), alternate(keys.size());
  std::copy(keys.begin(), keys.end(), source.begin() + static_cast<std::ptrdiff_t>(misalign));
  std::vector<std::byte> workspace(
      gpu::radix::onesweep::workspace_bytes(sizeof(Key), 0, keys.size()) + 256);
  void* aligned = workspace.data();
  std::size_t room = workspace.size();
  gpu::launches_with_work.clear();
  gpu::radix::onesweep::sort(
      {.keys = {key_type_of<Key>(), order},
       .n = keys.size(),
       .source = {source.data() + misalign},
       .data = {keys.data()},
       .alternate = {alternate.data()},
       .d_workspace = static_cast<std::byte*>(std::align(256, room - 256, aligned, room)),
       .nans_last = nans_last});
  // The first pass starts before it is known to be needless.
  const auto& plan = *static_cast<const gpu::sweep::Plan<gpu::sweep::kPasses<Key>>*>(aligned);
  const bool has_begun_in_vain = plan.needed % 2 == 0;
  return gpu::launches_with_work["partition_tiles"] - has_begun_in_vain;
}

template <class Key>
void expect_passes(std::vector<Key> keys, unsigned passes) {
  std::vector<Key> expected = keys;
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(sort_by_passes(keys, Order::ascending), passes);
  EXPECT_EQ(keys, expected);
  sort_by_passes(keys, Order::descending, 1);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(keys, expected);
}

/// Keys of [first, first + count), each at least once, in disorder.
template <class Key>
std::vector<Key> range(Key first, std::size_t count, std::size_t n = 6000) {
  std::mt19937_64 random(count);
  std::vector<Key> keys(n);
  for (Key& key : keys) key = static_cast<Key>(first + static_cast<Key>(random() % count));
  keys[0] = static_cast<Key>(first + static_cast<Key>(count - 1));  // not the least first
  keys[1] = first;
  return keys;
}

template <class Key>
class Passes : public testing::Test {};
using Integers = testing::Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
TYPED_TEST_SUITE(Passes, Integers);

TYPED_TEST(Passes, AreAsFewAsTheRangeAsksFor) {
  using Key = TypeParam;
  expect_passes(range<Key>(5, 200), 1);
  expect_passes(range<Key>(200, 256), 1);
  expect_passes(range<Key>(200, 257), 2);
  expect_passes(range<Key>(1 << 20, 60000), 2);
  expect_passes(range<Key>((1 << 24) - 3, 7), 1);
  expect_passes(range<Key>((1 << 24) - 30000, 60000), 2);
  if constexpr (std::is_signed_v<Key>) {
    expect_passes(range<Key>(-100, 200), 1);
    expect_passes(range<Key>(-30000, 60000), 2);
    expect_passes(range<Key>(-(1 << 17), 1 << 18), 3);
  }
}

TYPED_TEST(Passes, SortKeysOfTheWholeRange) {
  using Key = TypeParam;
  std::mt19937_64 random(1);
  std::vector<Key> keys(6000);
  for (Key& key : keys) key = static_cast<Key>(random());
  expect_passes(keys, sizeof(Key));
  // Two far apart, and all others close together in the middle.
  keys = range<Key>(std::numeric_limits<Key>::max() / 2, 1000);
  keys[7] = std::numeric_limits<Key>::max();
  keys[8] = std::numeric_limits<Key>::min();
  expect_passes(keys, sizeof(Key));
}

TYPED_TEST(Passes, AreNoneOfSortedOrEqualKeys) {
  using Key = TypeParam;
  std::vector<Key> keys = range<Key>(std::numeric_limits<Key>::max() - 5000, 5000);
  std::sort(keys.begin(), keys.end());
  expect_passes(keys, 0);
  expect_passes(std::vector<Key>(1000, Key{7}), 0);
}

TYPED_TEST(Passes, SortEveryDistribution) {
  using Key = TypeParam;
  for (const char* const distribution :
       {"uniform", "gaussian", "zipf:1.0", "walk", "depths", "heavy", "experts", "reverse"}) {
    std::vector<Key> keys(9000);
    generate(std::span(keys), parse_distribution(distribution), 12345);
    std::vector<Key> expected = keys;
    std::sort(expected.begin(), expected.end());
    sort_by_passes(keys, Order::ascending);
    EXPECT_EQ(keys, expected) << distribution;
  }
}

/// Where the pairs to be sorted come from.
enum class From { data, data_without_values, source };

/// Sorts pairs of u32 whose keys have these digits alone.
void expect_stable_pairs(std::uint32_t digits, From from) {
  std::mt19937 random(digits);
  std::vector<std::uint32_t> keys(9001), values(keys.size());
  for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random()) & digits;
  std::iota(values.begin(), values.end(), 0u);
  const std::vector<std::uint32_t> before = keys, numbers = values;
  std::vector<std::uint32_t> alternate_keys(keys.size()), alternate_values(keys.size());
  if (from != From::data) std::ranges::fill(values, 0u);
  if (from == From::source) std::ranges::fill(keys, 0u);
  std::vector<std::byte> workspace(gpu::radix::onesweep::workspace_bytes(4, 4, keys.size()) + 256);
  void* aligned = workspace.data();
  std::size_t room = workspace.size();
  const auto address = [](const std::vector<std::uint32_t>& of) {
    return const_cast<std::uint32_t*>(of.data());
  };
  gpu::radix::ErasedItems source{keys.data(), values.data()};
  if (from == From::data_without_values) source.values = nullptr;
  if (from == From::source) source = {address(before), address(numbers)};
  gpu::radix::onesweep::sort(
      {.keys = {KeyType::u32, Order::ascending},
       .value_bytes = 4,
       .n = keys.size(),
       .source = source,
       .data = {keys.data(), values.data()},
       .alternate = {alternate_keys.data(), alternate_values.data()},
       .d_workspace = static_cast<std::byte*>(std::align(256, room - 256, aligned, room))});
  std::vector<std::uint32_t> expected = numbers;
  std::ranges::stable_sort(expected, {}, [&](std::uint32_t i) { return before[i]; });
  EXPECT_EQ(values, expected) << std::hex << digits;
  std::ranges::transform(expected, expected.begin(), [&](std::uint32_t i) { return before[i]; });
  EXPECT_EQ(keys, expected) << std::hex << digits;
}

TEST(Onesweep, EndsInTheDataWhateverPassesAreNeeded) {
  for (unsigned passes = 0; passes < 16; ++passes) {
    std::uint32_t digits = 0;
    for (unsigned pass = 0; pass < 4; ++pass) {
      if (passes >> pass & 1) digits |= 0xffu << 8 * pass;
    }
    for (const From from : {From::data, From::data_without_values, From::source}) {
      expect_stable_pairs(digits, from);
    }
  }
}

/// The keys are sorted by so many passes, in either order; zeros of either sign, too.
template <class Key>
void expect_passes_of_floats(std::vector<Key> keys, unsigned passes) {
  for (const Order order : {Order::ascending, Order::descending}) {
    const auto map = gpu::key_map_of<BitsOf<Key>>(KeyKind{key_type_of<Key>(), order});
    const auto ordered = [&](Key key) { return map.ordered(std::bit_cast<BitsOf<Key>>(key)); };
    std::vector<Key> sorted = keys;
    EXPECT_EQ(sort_by_passes(sorted, order), passes);
    EXPECT_TRUE(std::ranges::is_sorted(sorted, {}, ordered));
    std::ranges::sort(keys, {}, ordered);
    EXPECT_TRUE(std::ranges::equal(sorted, keys, {}, ordered, ordered));
    std::ranges::shuffle(keys, std::mt19937_64(3));
  }
}

TEST(PassesOfFloats, LeaveOutDigitsThatOnlyTellTheSign) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> keys(5000);
  for (double& key : keys) key = normal(random);
  expect_passes_of_floats(keys, 8);
  for (double& key : keys) key = static_cast<float>(key);
  expect_passes_of_floats(keys, 5);
  keys[9] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(keys[9]) | 1);
  expect_passes_of_floats(keys, 8);
  for (double& key : keys) key = std::round(key * 300);
  expect_passes_of_floats(keys, 3);
  for (double& key : keys) key = random() % 2 == 0 ? 0.0 : -0.0;
  expect_passes_of_floats(keys, 1);
  std::vector<float> few(5000);
  for (float& key : few) key = std::round(static_cast<float>(normal(random)) * 300);
  expect_passes_of_floats(few, 3);
}

TEST(PassesOfFloats, BringNaNsBehindTheNumbers) {
  std::mt19937_64 random(1);
  std::vector<double> keys(6000);
  for (double& key : keys) key = static_cast<double>(random() % 2001) - 1000;
  keys[5] = -std::numeric_limits<double>::quiet_NaN();
  keys[6] = std::numeric_limits<double>::quiet_NaN();
  keys[7] = -std::numeric_limits<double>::infinity();
  std::vector<double> numbers = keys;
  std::erase_if(numbers, [](double key) { return std::isnan(key); });
  std::sort(numbers.begin(), numbers.end());
  sort_by_passes(keys, Order::ascending, 0, true);
  EXPECT_TRUE(std::isnan(keys[keys.size() - 2]) && std::isnan(keys.back()));
  keys.resize(numbers.size());
  EXPECT_EQ(keys, numbers);
}

}  // namespace
}  // namespace sortlab::tests::onesweep
