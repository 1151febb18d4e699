// gpu/radix/top_sweep on the CPU: as it is, and with a tuning by which few items have leaves.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/on_cpu/sorts_on_cpu.hpp"
// The words of CUDA come first.
#define SORTLAB_VARIANT_ID "gpu/radix/top_sweep"
#define SORTLAB_VARIANT_ENTRY describe_top_sweep
#include "gpu/radix/top_sweep.cu"

namespace sortlab::tests::top_sweep {
namespace {

namespace top = gpu::radix::top_sweep;

/// With the leaves of the sort itself.
struct Leaves {
  static constexpr Info info{
      .summary = "with leaves of few items", .stable = true, .alternate = true};

  template <class Bits, class Value, class Of>
  using Sort = top::TopSweep<top::TopTuning<typename Of::Leaf, Of::kLeafBlocksAnSm>, Bits, Value>;

  /// Calls use(sort).
  template <class Bits, class Value, class Use>
  static auto with_sort(std::size_t n, std::byte* workspace, Use use) {
    return use(Sort<Bits, Value, typename top::TuningOf<Bits, Value>::Type>(n, workspace));
  }
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return visit_widths(request.key_bytes, request.value_bytes,
                        [&]<class Bits, class Value>(Bits, Value) {
                          return with_sort<Bits, Value>(
                              request.n, nullptr, [](const auto& sort) { return sort.bytes; });
                        });
  }
  static ResultIn sort_erased(const ErasedJob& job) {
    const auto call = gpu::radix::Call::of(job);
    if (call.n == 0) return ResultIn::data;
    call.visit([&]<class Bits, class Value>(Bits, Value) {
      const auto arrays = call.as<top::Arrays, Bits, Value>();
      with_sort<Bits, Value>(call.n, call.d_workspace, [&](const auto& sort) {
        sort.sort(arrays, {arrays.data, nullptr, false}, nullptr, call.are_floats(), nullptr);
      });
    });
    return ResultIn::data;
  }
};

const std::string kTopSweep = added(&describe_top_sweep),
                  kLeaves = added([](Variant&variant) {
                    variant =
                        detail::describe<Leaves>("tests/leaves", "cu", AllKeys{}, KeysAndPairs{});
                  });

TEST(TopSweep, SortsAnyKeys) {
  expect_sorts(kTopSweep, {1, 1000, 10007}, {"uniform", "zipf:1.0", "special"},
               {KeyType::u32, KeyType::f32, KeyType::u64});
}

TEST(TopSweep, SortsLeaves) {
  expect_sorts(kLeaves, {1, 1000, 12007}, {"uniform", "gaussian", "splats", "gaps", "dups16"},
               {KeyType::u32, KeyType::u64, KeyType::f64});
  gpu::launches_with_work.clear();
  std::vector<std::uint32_t> narrow(30011);
  std::vector<std::uint64_t> wide(30011);
  for (std::size_t i = 0; i < wide.size(); ++i) {  // evenly spread; some are the same
    narrow[i] = static_cast<std::uint32_t>(i / 2 * 2'654'435'761);
    wide[i] = i / 2 * 0x9e37'79b9'7f4a'7c15;
  }
  expect_sorts(kLeaves, narrow);
  expect_sorts(kLeaves, wide);
  EXPECT_EQ(gpu::launches_with_work["sort_key_leaves"], 2u);
  EXPECT_EQ(gpu::launches_with_work["sort_pair_leaves"], 2u);
}

}  // namespace
}  // namespace sortlab::tests::top_sweep
