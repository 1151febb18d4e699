// What can be said of GPU sorts without a GPU: which there are, and what becomes of their rows.
#include <gtest/gtest.h>

#include "common/device.hpp"
#include "common/host_work.hpp"
#include "common/plan.hpp"

namespace sortlab {
namespace {

TEST(GpuRegistry, HoldsTheLadders) {
  for (const char* id : {"bitonic/naive",
                         "bitonic/v0_step_per_launch",
                         "bitonic/v1_fused",
                         "bitonic/v2_shared",
                         "bitonic/v3_warp_register",
                         "bitonic/two_phase",
                         "merge/naive",
                         "merge/per_element",
                         "merge/coarsened",
                         "merge/block_merge",
                         "quick/naive",
                         "quick/batched",
                         "quick/fat",
                         "quick/iterative",
                         "radix/naive",
                         "radix/ballot_1bit",
                         "radix/small",
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

TEST(GpuRegistry, EveryRungNamesOneThatExists) {
  for (const auto& variant : all_variants()) {
    EXPECT_TRUE(variant.info.after.empty() || find_variant(variant.info.after) != nullptr)
        << variant.id << " is said to come after " << variant.info.after;
  }
}

TEST(GpuPlan, HasARowForEachKindOfMemoryAndLaunch) {
  Selection selection;
  selection.filters = {"gpu/bitonic/two_phase"};
  selection.sizes = {"1K"};
  selection.threads = {"1,2,4"};  // means nothing to a GPU
  EXPECT_EQ(plan(selection).size(), 1u);
  selection.host_mem = {"none,pageable,pinned"};
  selection.launch = {"stream,graph"};
  EXPECT_EQ(plan(selection).size(), 6u);
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
