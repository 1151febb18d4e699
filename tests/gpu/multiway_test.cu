// The sorts of gpu/auto/auto_sort.cuh as a user has them: with keys and comparisons of the user's
// own, which go to gpu/merge/multiway/sort.cuh, and with those of the suite.
#include "gpu/auto/auto_sort.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "common/harness/rig/device.hpp"
#include "tests/on_device.cuh"

namespace sortlab::gpu {
namespace {

/// A key that no built-in comparison knows, with bytes that its comparison does not look at.
struct Reading {
  std::uint32_t number;
  std::uint16_t station;
  std::uint16_t day;
  float value;
};
struct ByStationAndLatestDay {
  __host__ __device__ bool operator()(const Reading& a, const Reading& b) const {
    return a.station != b.station ? a.station < b.station : a.day > b.day;
  }
};
struct Descending {
  __host__ __device__ bool operator()(std::uint64_t a, std::uint64_t b) const { return a > b; }
};

template <class Less, class Key>
std::vector<Key> sorted_on_device(const std::vector<Key>& keys) {
  const std::size_t n = keys.size();
  const OnDevice<Key> data(keys);
  const OnDevice<Key> alternate(keys);
  const OnDevice<std::byte> workspace(std::vector<std::byte>(auto_sort_bytes<Less, Key>(n)));
  const auto result = auto_sort<Less>(Items<Key, NoValue>{data.get()}, {alternate.get()}, n,
                                      workspace.get(), nullptr);
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  return (result == ResultIn::data ? data : alternate).on_host();
}

/// On both sides of what a block, each team of blocks and a pass hold.
const std::vector<std::size_t> kSizes = {
    0,      1,       2,       1000,    2048,    2049,    4096,    4097,          65'536,
    65'537, 100'003, 131'073, 262'145, 524'288, 524'289, 1 << 20, (1 << 20) + 1, 3'000'001};

TEST(Multiway, SortsAStructByTheUsersComparisonAndIsStable) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  for (const std::size_t n : kSizes) {
    std::mt19937 random(7);
    std::vector<Reading> readings(n);
    for (std::size_t i = 0; i < n; ++i) {
      readings[i] = {static_cast<std::uint32_t>(i), static_cast<std::uint16_t>(random() % 50),
                     static_cast<std::uint16_t>(random() % 366), 0.5f};
    }
    const auto sorted = sorted_on_device<ByStationAndLatestDay>(readings);
    std::stable_sort(readings.begin(), readings.end(), ByStationAndLatestDay{});
    std::size_t first_fault = 0;
    while (first_fault < n && sorted[first_fault].number == readings[first_fault].number) {
      ++first_fault;
    }
    EXPECT_EQ(first_fault, n);
  }
}

/// Of 32 bytes, which go to smaller blocks; all but some bits are without meaning.
struct Wide {
  std::uint64_t words[4];
};
struct ByHighBitsOfWord1 {
  __host__ __device__ bool operator()(const Wide& a, const Wide& b) const {
    return a.words[1] >> 60 < b.words[1] >> 60;
  }
};

TEST(Multiway, SortsWideItemsByAFewBitsAndIsStable) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  for (const std::size_t n : kSizes) {
    std::mt19937_64 random(7);
    std::vector<Wide> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = {{i, random(), 0, 0}};
    const auto sorted = sorted_on_device<ByHighBitsOfWord1>(items);
    std::stable_sort(items.begin(), items.end(), ByHighBitsOfWord1{});
    std::size_t first_fault = 0;
    while (first_fault < n && sorted[first_fault].words[0] == items[first_fault].words[0]) {
      ++first_fault;
    }
    EXPECT_EQ(first_fault, n);
  }
}

/// A GPU that can't hold a team sorts few items by passes, too.
TEST(Multiway, SortsFewItemsByPasses) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  using Plan = merge::multiway::PlanFor<Descending, merge_sort::Ties::keep_order, std::uint64_t>;
  for (const std::size_t n : {2u, 2049u, 8192u, 8193u, 100'003u}) {
    std::mt19937_64 random(7);
    std::vector<std::uint64_t> keys(n);
    for (auto& key : keys) key = random() % 1000;
    const OnDevice<std::uint64_t> data(keys);
    const OnDevice<std::uint64_t> alternate(keys);
    const OnDevice<std::byte> workspace(
        std::vector<std::byte>(merge::multiway::workspace_bytes<Plan>(n)));
    const auto result = merge::multiway::sort_by_passes<Plan::Tiles, Plan::Merges>(
        {data.get(), {}}, {alternate.get(), {}}, n, workspace.get(), nullptr);
    std::sort(keys.begin(), keys.end(), Descending{});
    EXPECT_TRUE((result == ResultIn::data ? data : alternate).on_host() == keys) << n << " keys";
  }
}

/// Keys in the order of a map of them: in tiles that are out of order, and in tiles that are not and so
/// stay as they came until a merge needs them.
TEST(Multiway, SortsByPassesInTheOrderOfAMap) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  using Bits = std::uint32_t;
  using Plan = merge::multiway::PlanFor<KeyLess<Bits, Order::ascending>,
                                        merge_sort::Ties::any_order, Bits, NoValue, KeyMap<Bits>>;
  const KeyMap<Bits> map = key_map_of<float, Order::descending>();
  const auto is_before = [map](Bits a, Bits b) { return map.ordered(a) < map.ordered(b); };
  for (const std::size_t n : {2u, 8192u, 8193u, 100'003u, 300'001u}) {
    for (const std::size_t in_order : {std::size_t{0}, n / 2, n - 1, n}) {
      std::mt19937 random(7);
      std::vector<Bits> keys(n);
      for (auto& key : keys) key = static_cast<Bits>(random());
      std::sort(keys.begin(), keys.end(), is_before);
      std::shuffle(keys.begin() + static_cast<std::ptrdiff_t>(in_order), keys.end(), random);
      if (in_order == n - 1) std::swap(keys.front(), keys.back());
      const OnDevice<Bits> data(keys);
      const OnDevice<Bits> alternate(keys);
      const OnDevice<std::byte> workspace(
          std::vector<std::byte>(merge::multiway::workspace_bytes<Plan>(n)));
      const auto result = merge::multiway::sort_by_passes<Plan::Tiles, Plan::Merges>(
          {data.get(), {}}, {alternate.get(), {}}, n, workspace.get(), nullptr, map);
      std::sort(keys.begin(), keys.end(), is_before);
      EXPECT_TRUE((result == ResultIn::data ? data : alternate).on_host() == keys)
          << n << " keys, the first " << in_order << " of them in order";
    }
  }
}

/// Pairs, of which many have the same key, in arrays that begin at a line of the memory or not.
TEST(Multiway, SortsPairsStablyWhereverTheyLie) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  using Plan = merge::multiway::PlanFor<std::less<std::uint32_t>, merge_sort::Ties::keep_order,
                                        std::uint32_t, std::uint32_t>;
  for (const std::size_t n : {4097u, 70'001u, 530'000u, 1'100'001u, 3'000'001u}) {
    for (const std::uint32_t distinct : {3u, 100'000u, 0xffffffffu}) {
      for (const std::size_t offset : {0u, 1u, 4u}) {
        std::mt19937 random(7);
        std::vector<std::uint32_t> keys(n + offset);
        std::vector<std::uint32_t> values(n + offset);
        for (std::size_t i = 0; i < n; ++i) {
          keys[offset + i] = random() % distinct;
          values[offset + i] = static_cast<std::uint32_t>(i);
        }
        const OnDevice<std::uint32_t> d_keys(keys);
        const OnDevice<std::uint32_t> d_values(values);
        const OnDevice<std::uint32_t> d_other_keys(keys);
        const OnDevice<std::uint32_t> d_other_values(values);
        const OnDevice<std::byte> workspace(
            std::vector<std::byte>(merge::multiway::workspace_bytes<Plan>(n)));
        const bool in_data = merge::multiway::sort<Plan>(
                                 {d_keys.get() + offset, d_values.get() + offset},
                                 {d_other_keys.get() + offset, d_other_values.get() + offset}, n,
                                 workspace.get(), nullptr) == ResultIn::data;
        const auto sorted_keys = (in_data ? d_keys : d_other_keys).on_host();
        const auto sorted_values = (in_data ? d_values : d_other_values).on_host();
        bool is_right = true;
        for (std::size_t i = offset; i < n + offset; ++i) {
          is_right &= sorted_keys[i] == keys[offset + sorted_values[i]];
          is_right &=
              i == offset || sorted_keys[i - 1] < sorted_keys[i] ||
              (sorted_keys[i - 1] == sorted_keys[i] && sorted_values[i - 1] < sorted_values[i]);
        }
        EXPECT_TRUE(is_right) << n << " pairs, offset " << offset;
      }
    }
  }
}

/// Inputs that put whole tiles, or no items at all, into a bucket of a team.
TEST(Multiway, SharesOutAnyInputAmongATeam) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  for (const std::size_t n : {4097u, 65'536u, 262'145u, 1u << 20}) {
    const auto last = static_cast<std::uint64_t>(n - 1);
    std::vector<std::vector<std::uint64_t>> inputs(5, std::vector<std::uint64_t>(n));
    for (std::uint64_t i = 0; i < n; ++i) {
      inputs[0][i] = i;
      inputs[1][i] = last - i;
      inputs[2][i] = std::min(i, last - i);
      inputs[3][i] = i % 64;
      inputs[4][i] = i == n / 2 ? 1 : 0;
    }
    for (auto& keys : inputs) {
      const auto sorted = sorted_on_device<Descending>(keys);
      std::sort(keys.begin(), keys.end(), Descending{});
      EXPECT_TRUE(sorted == keys) << n << " keys";
    }
  }
}

TEST(Multiway, SortsByAnotherOrderThanLess) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  for (const std::size_t n : kSizes) {
    std::mt19937_64 random(7);
    std::vector<std::uint64_t> keys(n);
    for (auto& key : keys) key = random();
    const auto sorted = sorted_on_device<Descending>(keys);
    std::sort(keys.begin(), keys.end(), Descending{});
    EXPECT_TRUE(sorted == keys) << n << " keys";
  }
}

TEST(AutoSort, KnowsTheOrdersOfTheSuite) {
  using auto_detail::kIsOfTheSuite;
  static_assert(kIsOfTheSuite<std::less<>, int, NoValue>);
  static_assert(kIsOfTheSuite<std::greater<int>, int, std::uint32_t>);
  static_assert(kIsOfTheSuite<KeyLess<float, Order::descending>, float, NoValue>);
  static_assert(!kIsOfTheSuite<std::less<>, float, NoValue>);
  static_assert(!kIsOfTheSuite<Descending, std::uint64_t, NoValue>);
  static_assert(!kIsOfTheSuite<std::less<>, int, double>);
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  for (const std::size_t n : kSizes) {
    std::mt19937 random(7);
    std::vector<std::int32_t> keys(n);
    for (auto& key : keys) key = static_cast<std::int32_t>(random());
    const auto sorted = sorted_on_device<std::greater<>>(keys);
    std::sort(keys.begin(), keys.end(), std::greater<>{});
    EXPECT_TRUE(sorted == keys) << n << " keys";
  }
}

}  // namespace
}  // namespace sortlab::gpu
