// gpu/radix/msd_hybrid on the CPU: as it is, and with tunings by which few keys take many levels.
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tests/on_cpu/sorts_on_cpu.hpp"
// The words of CUDA come first.
#define SORTLAB_VARIANT_ID "gpu/radix/msd_hybrid"
#define SORTLAB_VARIANT_ENTRY describe_msd_hybrid
#include "gpu/radix/msd_hybrid.cu"
#define SORTLAB_UNIT_KEY std::uint32_t
#include "gpu/primitives/grid/msd/leaf_sort.cu"
#include "gpu/radix/msd_hybrid/kernels.cu"
#undef SORTLAB_UNIT_KEY
#define SORTLAB_UNIT_KEY std::uint64_t
#include "gpu/primitives/grid/msd/leaf_sort.cu"
#include "gpu/primitives/grid/spread/weigh.cu"
#include "gpu/radix/msd_hybrid/kernels.cu"

namespace sortlab::tests::msd_hybrid {
namespace {

namespace hybrid = gpu::radix::msd_hybrid;

/// Tiles of 512 keys by 64 threads, leaves of 512 keys and digits of 6 bits.
template <class Bits, bool kSpreads>
using Small = hybrid::Tuning<gpu::msd::ScatterShared<Bits, 64, 8, 64>, 1,
                             gpu::msd::LeafBlock<Bits, 512, 1, 9, 1>, kSpreads, 50>;

template <class Tuning, class Bits>
void sort_with(std::byte* d_workspace, const gpu::sweep::Arrays<Bits, NoValue>& arrays,
               std::size_t n) {
  hybrid::sort_on<Tuning>(nullptr, d_workspace,
                          gpu::msd::Buffers<Bits>{arrays.data.keys, arrays.alternate.keys,
                                                  arrays.key_map, arrays.source.keys},
                          n);
}

/// Floats are spread.
struct ManyLevels {
  static constexpr Info info{.summary = "with many levels", .alternate = true};

  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return visit_widths(request.key_bytes, 0, [&]<class Bits, class Value>(Bits, Value) {
      return std::max(hybrid::bytes_of<Small<Bits, false>>(request.n),
                      hybrid::bytes_of<Small<Bits, true>>(request.n));
    });
  }
  static ResultIn sort_erased(const ErasedJob& job) {
    const auto call = gpu::radix::Call::of(job);
    call.visit([&]<class Bits, class Value>(Bits, Value) {
      const auto arrays = call.as<gpu::sweep::Arrays, Bits, NoValue>();
      call.are_floats() ? sort_with<Small<Bits, true>>(call.d_workspace, arrays, call.n)
                        : sort_with<Small<Bits, false>>(call.d_workspace, arrays, call.n);
    });
    return ResultIn::data;
  }
};

const std::string kMsdHybrid = added(&describe_msd_hybrid),
                  kManyLevels = added([](Variant&variant) {
                    variant = detail::describe<ManyLevels>("tests/many_levels", "cu", AllKeys{},
                                                           KeysOnly{});
                  });

TEST(MsdHybrid, SortsAnyKeys) {
  expect_sorts(kMsdHybrid, {1, 1000, 20011},
               {"uniform", "zipf:1.0", "special", "gaps", "reverse", "heavy", "equal", "text"},
               {KeyType::u32, KeyType::f64, KeyType::i64});
  expect_sorts(kManyLevels, {1, 600, 5000, 20011},
               {"uniform", "zipf:1.0", "special", "kmers", "gaps", "heavy", "equal", "text", "ipv4",
                "sorted"},
               {KeyType::u32, KeyType::f32, KeyType::u64, KeyType::f64});
}

/// How many launches of a kernel had work.
unsigned worked(const char* kernel) { return gpu::launches_with_work[kernel]; }

TEST(MsdHybrid, SplitsEvenKeysTwice) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> keys(60013);
  for (auto& key : keys) key = random();
  gpu::launches_with_work.clear();
  expect_sorts(kManyLevels, keys);
  EXPECT_EQ(worked("scatter_keys"), 2u);
  EXPECT_EQ(worked("partition_tiles"), 0u);
}

TEST(MsdHybrid, SpreadsFloats) {
  std::mt19937_64 random(4);
  std::vector<double> floats(20000);
  for (auto& key : floats) key = static_cast<double>(random() >> 11) * 0x1p-53;
  gpu::launches_with_work.clear();
  expect_sorts(kManyLevels, floats);
  EXPECT_EQ(worked("scatter_keys"), 1u);
  EXPECT_EQ(worked("partition_tiles"), 0u);
  std::vector<std::uint64_t> bits(floats.size());
  std::memcpy(bits.data(), floats.data(), floats.size() * sizeof(double));
  expect_sorts(kManyLevels, bits);
  EXPECT_GT(worked("partition_tiles"), 0u);
}

TEST(MsdHybrid, TakesOutAKeyThatMostItemsAre) {
  std::mt19937_64 random(5);
  std::vector<std::uint64_t> keys(20000);
  for (auto& key : keys) key = random() % 50 == 0 ? random() : 0x1234'5678'9abc'def0;
  gpu::launches_with_work.clear();
  expect_sorts(kManyLevels, keys);
  EXPECT_EQ(worked("scatter_keys"), 0u);
  EXPECT_EQ(worked("sort_small"), 1u);
}

}  // namespace
}  // namespace sortlab::tests::msd_hybrid
