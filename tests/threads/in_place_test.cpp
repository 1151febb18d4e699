// cpu/quick/in_place: it uses only the promised memory, and adversarial inputs reach its rare code.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "common/contract/isa.hpp"
#include "common/contract/variant.hpp"
#include "common/harness/input/distributions.hpp"
#include "common/harness/rig/heap_meter.hpp"
#include "common/harness/rig/workspace.hpp"
#include "common/harness/verify/check.hpp"
#include "cpu/quick/in_place/state.hpp"

namespace sortlab {
namespace {

const Variant& in_place() {
  const Variant* const variant = find_variant("cpu/quick/in_place");
  EXPECT_NE(variant, nullptr);
  return *variant;
}

std::size_t workspace_bytes(std::size_t n, std::size_t key_bytes, int threads) {
  const Params params(in_place().info.params);
  return in_place().workspace_bytes({n, key_bytes, 0, threads, params});
}

/// Sorts u32 keys with a workspace of exactly the requested size.
std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> keys, int threads) {
  const Params params(in_place().info.params);
  const GuardedBuffer workspace(workspace_bytes(keys.size(), 4, threads));
  const Instance& instance = *in_place().instance(KeyType::u32, 0, Order::ascending);
  const ErasedJob job{&instance,        keys.data(), nullptr,      nullptr, nullptr, keys.size(),
                      workspace.span(), threads,     usable_isa(), nullptr, &params};
  EXPECT_EQ(instance.sort(job), ResultIn::data);
  EXPECT_TRUE(workspace.red_zones_intact());
  return keys;
}

std::vector<std::uint32_t> keys_of(const char* distribution, std::size_t n) {
  std::vector<std::uint32_t> keys(n);
  generate(std::span(keys), parse_distribution(distribution), 1);
  return keys;
}

TEST(InPlace, AsksForASixteenthOfTheKeysMemoryOrALittleAThread) {
  EXPECT_FALSE(in_place().info.alternate);
  for (const std::size_t key_bytes : {4, 8}) {
    for (const int threads : {1, 2, 16, 64, 1000}) {
      for (std::size_t n = 1; n < std::size_t{1} << 40; n *= 3) {
        const std::size_t least = static_cast<std::size_t>(threads) * (std::size_t{64} << 10);
        EXPECT_LE(workspace_bytes(n, key_bytes, threads), std::max(n * key_bytes / 16, least))
            << n << " keys, " << threads << " threads";
      }
    }
  }
  EXPECT_LE(workspace_bytes(std::size_t{1} << 27, 4, 16), (std::size_t{1} << 27) * 4 / 90);
}

TEST(InPlace, AllocatesNothingForItself) {
  for (const int threads : {1, 8}) {
    const auto keys = keys_of("uniform", 2'000'000);
    auto result = sorted(keys, threads);  // threads are started, and their stacks made
    const Params params(in_place().info.params);
    const GuardedBuffer workspace(workspace_bytes(keys.size(), 4, threads));
    const Instance& instance = *in_place().instance(KeyType::u32, 0, Order::ascending);
    std::copy(keys.begin(), keys.end(), result.begin());
    HeapMeter::start();
    instance.sort({&instance, result.data(), nullptr, nullptr, nullptr, keys.size(),
                   workspace.span(), threads, usable_isa(), nullptr, &params});
    const auto peak = HeapMeter::peak_bytes();
    if (!peak) GTEST_SKIP() << "a sanitizer has the heap to itself";
    EXPECT_LT(*peak, std::size_t{64} << 10) << threads << " threads";
    EXPECT_TRUE(std::is_sorted(result.begin(), result.end()));
  }
}

TEST(InPlace, TakesEverySizeOfTheLastBlock) {
  constexpr std::size_t kBlock = 2048 / sizeof(std::uint32_t);
  for (std::size_t n = 200'000; n <= 200'000 + 2 * kBlock; n += 37) {
    auto keys = keys_of("uniform", n);
    const auto result = sorted(keys, 3);
    std::sort(keys.begin(), keys.end());
    ASSERT_EQ(result, keys) << n;
  }
}

TEST(InPlace, SortsOnMoreThreadsThanItHasMemoryFor) {
  for (const std::size_t n : {100'000, 1'000'000}) {
    auto keys = keys_of("uniform", n);
    const auto result = sorted(keys, 50);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(result, keys);
  }
}

/// The places that the sort samples for splitters hold keys of all sizes; all other keys are small,
/// so that one bucket holds most of them.
TEST(InPlace, DistributesALargeBucketAgain) {
  constexpr std::size_t n = 1'000'000, kSampled = 8192;
  constexpr int kThreads = 8;
  const auto plan =
      cpu::quick::in_place::BlockPlan::of(n, 4, kThreads, workspace_bytes(n, 4, kThreads));
  ASSERT_EQ(std::min((plan.leaves() - 2) * 128, n / 64), (plan.leaves() - 2) * 128);
  auto keys = keys_of("uniform", n);
  const std::vector<std::uint32_t> large = keys;
  for (std::uint32_t& key : keys) key >>= 12;
  // As in kernels.inl.hpp, take_sample().
  const std::size_t count = (plan.leaves() - 2) * 128;
  ASSERT_LE(count, kSampled);
  const std::size_t step = (n << 16) / count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = (i * step + (step * (i * 40503 & 0xFFFF) >> 16)) >> 16;
    keys[at] = large[at];
  }
  const auto result = sorted(keys, kThreads);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(result, keys);
}

}  // namespace
}  // namespace sortlab
