// The block's sort of gpu/radix/small on the CPU: keys of programs and patterns, as they lie in a bucket of a
// team (any order) and in the input (in the order of places), in both orders of the threads.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "common/harness/input/distributions.hpp"
#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/radix/small/block.cuh"

namespace sortlab::tests {
namespace {

using namespace gpu::radix::small;

template <class Bits>
struct Held {
  Bits key;
  unsigned place;

  friend bool operator==(const Held&, const Held&) = default;
  friend auto operator<=>(const Held&, const Held&) = default;
};

/// `count` neighbours in the sorted order of the input, as a team's bucket holds them; or the first ones.
template <class Bits>
std::vector<Held<Bits>> items_of(const std::string& distribution, std::size_t count,
                                 bool by_place) {
  constexpr std::size_t kInput = 1 << 15;
  std::vector<Bits> keys(kInput);
  generate(std::span<Bits>(keys), parse_distribution(distribution), 12345);
  std::vector<Held<Bits>> items(kInput);
  for (unsigned i = 0; i < kInput; ++i) items[i] = {keys[i], i};
  if (!by_place) std::sort(items.begin(), items.end());
  const std::size_t first = by_place ? 0 : kInput / 3;
  items = {items.begin() + static_cast<long>(first),
           items.begin() + static_cast<long>(first + count)};
  if (!by_place) std::shuffle(items.begin(), items.end(), std::mt19937(1));
  return items;
}

template <class Bits, class Place, unsigned kThreads, unsigned kItems, bool kByPlace>
void expect_sorted(const std::vector<Held<Bits>>& items, Turns turns) {
  using Shared = BlockSortShared<Bits, Place, kThreads, kThreads * kItems>;
  const std::size_t count = items.size();
  const auto shared = std::make_unique<Shared>();
  std::memset(static_cast<void*>(shared.get()), 0xa5,
              sizeof(Shared));  // a block finds any bytes there
  Block::run(kThreads, turns, [&] {
    Bits key[kItems];
    unsigned place[kItems];
    for (unsigned i = 0; i < kItems; ++i) {
      const unsigned p = i * kThreads + threadIdx.x;
      if (p >= count) continue;
      key[i] = items[p].key;
      place[i] = items[p].place;
    }
    block_sort<kItems, kByPlace>([&](unsigned i) { return key[i]; }, static_cast<unsigned>(count),
                                 [&](unsigned i) { return place[i]; }, *shared);
  });
  auto expected = items;
  std::sort(expected.begin(), expected.end());
  for (unsigned p = 0; p < count; ++p) {
    const auto item = shared->items()[p];
    ASSERT_EQ(item.key, expected[p].key) << "item " << p << " of " << count;
    if constexpr (Shared::kPairs) {
      ASSERT_EQ(item.value, expected[p].place) << "item " << p << " of " << count;
    }
  }
}

template <class Bits, class Place, unsigned kThreads, unsigned kItems, bool kByPlace>
void expect_sorted(const std::string& distribution, std::size_t count, Turns turns) {
  SCOPED_TRACE(distribution);
  expect_sorted<Bits, Place, kThreads, kItems, kByPlace>(
      items_of<Bits>(distribution, count, kByPlace), turns);
}

class SmallBlock : public testing::TestWithParam<const char*> {};

TEST_P(SmallBlock, SortsABucket) {
  for (const Turns turns : {Turns::upwards, Turns::downwards}) {
    expect_sorted<std::uint32_t, NoValue, 128, 16, false>(GetParam(), 1501, turns);
    expect_sorted<std::uint64_t, NoValue, 128, 16, false>(GetParam(), 1501, turns);
    expect_sorted<std::uint32_t, std::uint32_t, 128, 16, false>(GetParam(), 1501, turns);
    expect_sorted<std::uint64_t, std::uint32_t, 128, 16, false>(GetParam(), 1501, turns);
  }
}

TEST_P(SmallBlock, SortsTheInput) {
  for (const Turns turns : {Turns::upwards, Turns::downwards}) {
    expect_sorted<std::uint32_t, std::uint32_t, 256, 4, true>(GetParam(), 1024, turns);
    expect_sorted<std::uint64_t, std::uint32_t, 256, 4, true>(GetParam(), 1000, turns);
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, SmallBlock,
                         testing::ValuesIn(kinds({"uniform", "equal",   "zipf:1.0",   "text",
                                                  "heavy",   "killer3", "d20",        "dups16",
                                                  "p5",      "sorted",  "reverse",    "morton",
                                                  "ipv4",    "splats",  "edges",      "kmers",
                                                  "gaps",    "sizes",   "timestamps", "experts"})),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase_if(name, [](char c) { return !std::isalnum(c); });
                           return name;
                         });

TEST(SmallBlockOf, FewItems) {
  for (const std::size_t count : {1u, 2u, 31u, 33u, 127u}) {
    expect_sorted<std::uint32_t, std::uint32_t, 128, 16, false>("uniform", count, Turns::upwards);
    expect_sorted<std::uint64_t, NoValue, 128, 16, false>("equal", count, Turns::downwards);
  }
}

/// 100 near keys, and one far from them at each of `scales` distances, each 2^6 times the one before: a
/// spread takes out one or two scales.
template <class Bits>
std::vector<Held<Bits>> crowd_of_scales(unsigned scales) {
  std::vector<Held<Bits>> items;
  for (unsigned i = 0; i < 100; ++i) items.push_back({static_cast<Bits>(i * 7 % 50), i});
  for (unsigned s = 1; s <= scales; ++s) items.push_back({Bits{1} << (6 * s), 100 + s});
  return items;
}

TEST(SmallBlockOf, ACrowdInACrowd) {
  for (const Turns turns : {Turns::upwards, Turns::downwards}) {
    for (const unsigned scales : {1u, 2u, 3u, 5u}) {
      expect_sorted<std::uint32_t, NoValue, 64, 4, false>(crowd_of_scales<std::uint32_t>(scales),
                                                          turns);
      expect_sorted<std::uint32_t, std::uint32_t, 64, 4, false>(
          crowd_of_scales<std::uint32_t>(scales), turns);
    }
    expect_sorted<std::uint64_t, NoValue, 64, 4, false>(crowd_of_scales<std::uint64_t>(10), turns);
    expect_sorted<std::uint64_t, std::uint32_t, 64, 4, false>(crowd_of_scales<std::uint64_t>(10),
                                                              turns);
  }
}

/// As many crowds as fit, each of one key, of two, or of many; in any order.
template <class Bits>
std::vector<Held<Bits>> many_crowds(unsigned count, unsigned keys_of_each) {
  std::vector<Held<Bits>> items(count);
  for (unsigned i = 0; i < count; ++i) {
    items[i] = {static_cast<Bits>(Bits{i / 70} << (8 * sizeof(Bits) - 8)) + i % keys_of_each, i};
  }
  std::shuffle(items.begin(), items.end(), std::mt19937(2));
  return items;
}

/// More items than bins: two places share one, and heavy keys lie between others.
TEST(SmallBlockOf, CrowdsInALargeBucket) {
  constexpr unsigned kThreads = 1024;
  constexpr unsigned kItems = 14;
  std::mt19937_64 random(1);
  std::vector<Held<std::uint64_t>> items;
  for (unsigned i = 0; i < 9076; ++i) {
    const std::uint64_t word = random();
    items.push_back({word % 4 == 0 ? word : (word % 3 + 1) << 62, i});
  }
  std::shuffle(items.begin(), items.end(), std::mt19937(1));
  for (const Turns turns : {Turns::upwards, Turns::downwards}) {
    expect_sorted<std::uint64_t, std::uint32_t, kThreads, kItems, false>(items, turns);
  }
}

TEST(SmallBlockOf, ManyCrowds) {
  for (const unsigned keys_of_each : {1u, 2u, 69u}) {
    // More items than there are bins, and fewer.
    for (const unsigned count : {10000u, 1500u}) {
      expect_sorted<std::uint32_t, std::uint32_t, 1024, 16, false>(
          many_crowds<std::uint32_t>(count, keys_of_each), Turns::downwards);
      expect_sorted<std::uint64_t, NoValue, 1024, 16, false>(
          many_crowds<std::uint64_t>(count, keys_of_each), Turns::upwards);
    }
  }
}

TEST(DeviceOnCpu, SeesAMissingBarrier) {
  for (const bool has_barrier : {true, false}) {
    unsigned wrong = 0;
    for (const Turns turns : {Turns::upwards, Turns::downwards}) {
      unsigned shared[64] = {};
      Block::run(64, turns, [&] {
        shared[threadIdx.x] = threadIdx.x;
        if (has_barrier) __syncthreads();
        wrong += shared[63 - threadIdx.x] != 63 - threadIdx.x;
      });
    }
    EXPECT_EQ(wrong > 0, !has_barrier);
  }
}

TEST(DeviceOnCpu, SeesABarrierThatSomeNeverReach) {
  EXPECT_THROW(Block::run(64, Turns::upwards,
                          [] {
                            if (threadIdx.x < 32) __syncthreads();
                          }),
               std::logic_error);
}

TEST(DeviceOnCpu, LanesShareWords) {
  Block::run(64, Turns::downwards, [] {
    const unsigned lane = threadIdx.x % 32;
    EXPECT_EQ(__shfl_xor_sync(~0u, lane, 5), lane ^ 5);
    EXPECT_EQ(__shfl_up_sync(~0u, lane, 3), lane < 3 ? lane : lane - 3);
    EXPECT_EQ(__ballot_sync(~0u, lane % 2 == 0), 0x55555555u);
    EXPECT_EQ(__match_any_sync(~0u, lane / 16), lane < 16 ? 0xffffu : 0xffff0000u);
    EXPECT_EQ(__reduce_max_sync(~0u, lane), 31u);
    EXPECT_EQ(__syncthreads_or(threadIdx.x == 63), 1);
    EXPECT_EQ(__syncthreads_and(threadIdx.x != 63), 0);
  });
}

}  // namespace
}  // namespace sortlab::tests
