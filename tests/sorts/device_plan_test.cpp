// Facts about GPU sorts that need no GPU: their list, and their rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "common/choose/choice_table.hpp"
#include "common/contract/host_work.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/rig/device.hpp"
#include "gpu/bitonic/v4_multi_step/plan.hpp"
#include "gpu/primitives/key_map.hpp"

namespace sortlab {
namespace {

TEST(GpuRegistry, LowMemoryTakesAnEighthOfTheKeysAtMost) {
  const Variant* const variant = find_variant("gpu/radix/low_memory");
  ASSERT_NE(variant, nullptr);
  EXPECT_FALSE(variant->info.alternate);
  constexpr std::size_t kAlwaysAllowed = 8 << 20;
  const Params params;
  for (const std::size_t key_bytes : {4u, 8u}) {
    for (const std::size_t n : {std::size_t{1}, std::size_t{1} << 20, std::size_t{1} << 24,
                                (std::size_t{1} << 27) - 1, std::size_t{1} << 32}) {
      EXPECT_LE(variant->workspace_bytes({n, key_bytes, 0, 1, params}),
                std::max(n / 8 * key_bytes, kAlwaysAllowed))
          << n << " keys of " << key_bytes << " bytes";
    }
  }
}

TEST(GpuRegistry, CandidatesHoldWhatAutoPromises) {
  ASSERT_FALSE(candidates(Memory::device).empty());
  for (const Variant* const candidate : candidates(Memory::device)) {
    EXPECT_TRUE(candidate->info.capturable) << candidate->id << ": so is gpu/auto";
    EXPECT_TRUE(candidate->info.total_order) << candidate->id << ": so is gpu/auto";
    EXPECT_EQ(candidate->info.temp_policy, TempPolicy::prealloc)
        << candidate->id << ": so is gpu/auto";
  }
}

TEST(BitonicPlan, TakesTheStepsOfEveryStageFromTheTopToZero) {
  using namespace gpu::bitonic::v4_multi_step;
  using gpu::bitonic::v4_multi_step::Kind;  // not the kind of jobs
  constexpr unsigned kTile = 8;
  for (const unsigned column : {1u, 3u, 6u}) {
    for (const std::size_t n : {0u, 1u, 2u, 256u, 257u, 5000u, 65536u, 1u << 30}) {
      unsigned stage = n > 1 ? kTile : 0;
      unsigned steps_left = 0;  // of that stage
      for (const Pass& pass : passes_over(n, {kTile, column})) {
        switch (pass.kind) {
          case Kind::sort_tiles:
            EXPECT_EQ(stage, kTile);
            break;
          case Kind::fold_columns:
            EXPECT_EQ(steps_left, 0u);
            EXPECT_EQ(pass.stage, ++stage);
            EXPECT_EQ(pass.low_bit + column, stage);
            steps_left = pass.low_bit;
            break;
          case Kind::merge_columns:
            EXPECT_EQ(pass.stage, stage);
            EXPECT_GT(steps_left, kTile);
            EXPECT_GE(pass.low_bit + column, steps_left);
            EXPECT_LT(pass.low_bit + column, stage);
            steps_left = pass.low_bit;
            break;
          case Kind::merge_tiles:
            EXPECT_EQ(pass.stage, stage);
            EXPECT_LE(steps_left, kTile);
            steps_left = 0;
            break;
        }
      }
      EXPECT_EQ(steps_left, 0u);
      if (n > 1) {
        EXPECT_GE(std::size_t{1} << stage, n);
      }
    }
  }
}

template <class Key, Order kOrder>
void expect_radix_bits() {
  using Bits = BitsOf<Key>;
  const auto map = gpu::key_map_of<Key, kOrder>();
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  for (const Bits positive :
       {Bits{0}, Bits{1}, Bits{0x12345678}, Bits(kSign / 3), Bits(kSign - 1)}) {
    for (const Bits bits : {positive, static_cast<Bits>(positive | kSign)}) {
      const Bits ordered = map.ordered(bits);
      EXPECT_EQ(ordered, (to_radix_bits<Key, kOrder>(std::bit_cast<Key>(bits))));
      EXPECT_EQ(map.key(ordered), bits);
    }
  }
}

TEST(GpuKeyMap, IsToRadixBits) {
  const auto expect_for = []<class... Keys>(TypeList<Keys...>) {
    (expect_radix_bits<Keys, Order::ascending>(), ...);
    (expect_radix_bits<Keys, Order::descending>(), ...);
  };
  expect_for(AllKeys{});
  EXPECT_TRUE((gpu::key_map_of<std::uint32_t, Order::ascending>().changes_nothing()));
  EXPECT_FALSE((gpu::key_map_of<std::int32_t, Order::ascending>().changes_nothing()));
}

template <class Key, Order kOrder>
void expect_nans_behind_numbers() {
  using Limits = std::numeric_limits<Key>;
  const auto map = gpu::key_map_of<Key, kOrder>(true);
  const auto ordered = [&](Key key) {
    const auto bits = std::bit_cast<BitsOf<Key>>(key);
    EXPECT_EQ(map.key(map.ordered(bits)), bits);
    return map.ordered(bits);
  };
  std::vector<Key> numbers{
      -Limits::infinity(), Limits::lowest(),  -1, Key{-0.0}, Key{0}, Limits::denorm_min(),
      Limits::max(),       Limits::infinity()};
  if (kOrder == Order::descending) std::reverse(numbers.begin(), numbers.end());
  EXPECT_EQ(ordered(numbers.front()), 0u);
  for (std::size_t i = 0; i + 1 < numbers.size(); ++i) {
    EXPECT_LT(ordered(numbers[i]), ordered(numbers[i + 1]));
  }
  EXPECT_LT(ordered(numbers.back()), ordered(Limits::quiet_NaN()));
  EXPECT_LT(ordered(numbers.back()), ordered(-Limits::quiet_NaN()));
  EXPECT_FALSE(map.changes_nothing());
}

TEST(GpuKeyMap, BringsNansBehindTheNumbers) {
  expect_nans_behind_numbers<float, Order::ascending>();
  expect_nans_behind_numbers<float, Order::descending>();
  expect_nans_behind_numbers<double, Order::ascending>();
  expect_nans_behind_numbers<double, Order::descending>();
  EXPECT_TRUE((gpu::key_map_of<std::uint32_t, Order::ascending>(true).changes_nothing()));
}

TEST(GpuPlan, HasARowForEachKindOfMemoryAndLaunch) {
  Selection selection;
  selection.filters = {"gpu/bitonic/two_phase"};
  selection.sizes = {"1K"};
  selection.threads = {"1,2,4"};  // not used for a GPU
  EXPECT_EQ(plan(selection).size(), 1u);
  selection.host_mem = {"none,pageable,pinned,staged"};
  selection.launch = {"stream,graph"};
  EXPECT_EQ(plan(selection).size(), 8u);
}

TEST(HostWork, IsAddedUp) {
  HostClock clock{1'000'000'000'000};
  { const HostWork work(&clock); }
  const std::int64_t once = clock.ns;
  { const HostWork work(&clock); }
  EXPECT_GT(once, 1'000'000'000'000);
  EXPECT_GT(clock.ns, once);
  { const HostWork for_nobody(nullptr); }
}

TEST(Device, RowsWithoutOneAreSkippedWithTheReason) {
  if (device_unavailable().empty()) GTEST_SKIP() << "there is a GPU";
  Selection selection;
  selection.filters = {"gpu/*"};
  selection.sizes = {"1K"};
  for (const Planned& planned : plan(selection)) {
    EXPECT_EQ(planned.skip_reason, device_unavailable()) << planned.config.variant;
    const bool has_threads = find_variant(planned.config.variant)->info.memory == Memory::both;
    EXPECT_EQ(planned.config.threads > 0, has_threads) << planned.config.variant;
    EXPECT_EQ(planned.config.isa.empty(), !has_threads) << planned.config.variant;
  }
}

}  // namespace
}  // namespace sortlab
