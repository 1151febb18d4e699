// What can be said of GPU sorts without a GPU: which there are, and what becomes of their rows.
#include <gtest/gtest.h>

#include <algorithm>

#include "common/choose/gpu_choice.hpp"
#include "common/contract/host_work.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/rig/device.hpp"
#include "gpu/bitonic/plan.hpp"
#include "gpu/primitives/key_map.hpp"

namespace sortlab {
namespace {

TEST(GpuRegistry, HoldsTheLadders) {
  for (const char* id : {"auto/auto",
                         "auto/stable",
                         "bitonic/naive",
                         "bitonic/v0_step_per_launch",
                         "bitonic/v1_fused",
                         "bitonic/v2_shared",
                         "bitonic/v3_warp_register",
                         "bitonic/v4_multi_step",
                         "bitonic/two_phase",
                         "merge/naive",
                         "merge/per_element",
                         "merge/coarsened",
                         "merge/block_merge",
                         "merge/multiway",
                         "quick/naive",
                         "quick/batched",
                         "quick/fat",
                         "quick/iterative",
                         "quick/sample",
                         "radix/naive",
                         "radix/ballot_1bit",
                         "radix/low_memory",
                         "radix/msd_hybrid",
                         "radix/onesweep",
                         "radix/small",
                         "radix/small_narrow",
                         "radix/top_sweep",
                         "std_sort/naive",
                         "baselines/thrust_sort",
                         "baselines/thrust_sort_cached",
                         "baselines/thrust_stable_sort",
                         "baselines/cub_radix",
                         "baselines/cub_merge"}) {
    const Variant* const variant = find_variant(std::string("gpu/") + id);
    ASSERT_NE(variant, nullptr) << id;
    EXPECT_EQ(variant->info.memory, Memory::device) << id;
  }
}

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

TEST(GpuRegistry, EveryRungNamesOneThatExists) {
  for (const auto& variant : all_variants()) {
    EXPECT_TRUE(variant.info.after.empty() || find_variant(variant.info.after) != nullptr)
        << variant.id << " is said to come after " << variant.info.after;
  }
}

TEST(GpuRegistry, HoldsWhatAutoMayChoose) {
  for (const auto id : gpu_rung_ids()) {
    const Variant* const rung = find_variant(id);
    ASSERT_NE(rung, nullptr) << id;
    EXPECT_EQ(rung->info.memory, Memory::device) << id;
    EXPECT_TRUE(rung->info.capturable) << id << ": so is gpu/auto";
    EXPECT_TRUE(rung->info.total_order) << id << ": so is gpu/auto";
    EXPECT_EQ(rung->info.temp_policy, "prealloc") << id << ": so is gpu/auto";
  }
}

TEST(BitonicPlan, TakesTheStepsOfEveryStageFromTheTopToZero) {
  using namespace gpu::bitonic;
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

TEST(GpuPlan, HasARowForEachKindOfMemoryAndLaunch) {
  Selection selection;
  selection.filters = {"gpu/bitonic/two_phase"};
  selection.sizes = {"1K"};
  selection.threads = {"1,2,4"};  // means nothing to a GPU
  EXPECT_EQ(plan(selection).size(), 1u);
  selection.host_mem = {"none,pageable,pinned,staged"};
  selection.launch = {"stream,graph"};
  EXPECT_EQ(plan(selection).size(), 8u);
}

TEST(HostWork, IsAddedUpAndTakenOnce) {
  HostWork::take();
  { const HostWork work; }
  { const HostWork work; }
  EXPECT_GE(HostWork::take(), 0);
  EXPECT_EQ(HostWork::take(), 0);
}

TEST(Device, RowsWithoutOneAreSkippedWithTheReason) {
  if (device_unavailable().empty()) GTEST_SKIP() << "there is a GPU";
  Selection selection;
  selection.filters = {"gpu/*"};
  selection.sizes = {"1K"};
  for (const Planned& planned : plan(selection)) {
    EXPECT_EQ(planned.skip_reason, device_unavailable()) << planned.config.variant;
    EXPECT_EQ(planned.config.threads, 0);
    EXPECT_EQ(planned.config.isa, "");
  }
}

}  // namespace
}  // namespace sortlab
