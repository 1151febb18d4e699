// gpu/radix/small on the CPU: a block alone and a grid of three, with as many items as fit and fewer, of keys that are
// easy and keys that crowd. small_team_test.cpp has smaller teams and passes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/on_cpu/sorts_on_cpu.hpp"
// The words of CUDA come first.
#define SORTLAB_VARIANT_ID "gpu/radix/small"
#define SORTLAB_VARIANT_ENTRY describe_small
#include "gpu/radix/small.cu"
#define SORTLAB_UNIT_KEY std::uint32_t
#define SORTLAB_UNIT_VALUE NoValue
#include "gpu/radix/small/kernels.cu"

namespace sortlab::gpu::radix::small {

template void sort(TeamJob<std::uint32_t, std::uint32_t>,
                   const Space<std::uint32_t, std::uint32_t>&,
                   const sweep::Arrays<std::uint32_t, std::uint32_t>&, cudaStream_t);
template void sort(TeamJob<std::uint64_t, NoValue>, const Space<std::uint64_t, NoValue>&,
                   const sweep::Arrays<std::uint64_t, NoValue>&, cudaStream_t);
template void sort(TeamJob<std::uint64_t, std::uint32_t>,
                   const Space<std::uint64_t, std::uint32_t>&,
                   const sweep::Arrays<std::uint64_t, std::uint32_t>&, cudaStream_t);

}  // namespace sortlab::gpu::radix::small

namespace sortlab::gpu {
namespace {

tests::Turns turns = tests::Turns::upwards;

}  // namespace

/// The fibers have no clusters.
bool is_runnable(TeamKind kind, const void*, const Grid&) { return kind != TeamKind::cluster; }

void launch_team_kernel(std::string_view name, TeamKind, const void*, const Grid& grid,
                        cudaStream_t, void** arguments) {
  check_grid(name, grid);
  std::memset(s_dynamic, 0xa5, sizeof(s_dynamic));
  tests::Block::run_grid(static_cast<unsigned>(grid.blocks), grid.threads, turns,
                         *static_cast<std::function<void()>*>(arguments[0]), grid.shared_bytes);
}

}  // namespace sortlab::gpu

namespace sortlab::tests::small {
namespace {

const std::string kSmall = added(&describe_small);

/// With each order in which threads take turns.
class SmallOnCpu : public testing::TestWithParam<Turns> {
 protected:
  void SetUp() override { gpu::turns = GetParam(); }
};

TEST_P(SmallOnCpu, SortsByABlock) {
  expect_sorts(kSmall, {1, 2, 33, 1000, 1024, 1025, 4096},
               {"uniform", "equal", "zipf:1.0", "text", "heavy", "killer3", "d20", "dups16", "p5",
                "sorted", "reverse"},
               {KeyType::u32, KeyType::u64});
  expect_sorts(kSmall, {500, 8192}, {"uniform", "special"},
               {KeyType::i32, KeyType::f32, KeyType::i64, KeyType::f64});
}

TEST_P(SmallOnCpu, SortsByAGrid) {
  expect_sorts(kSmall, {4097, 20000}, {"uniform", "zipf:1.0", "text", "sorted"},
               {KeyType::u32, KeyType::u64});
}

/// 100 near keys, and one far from them at each of 10 distances, each 2^6 times the one before: a spread takes out one
/// or two scales.
TEST_P(SmallOnCpu, SortsACrowdInACrowd) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 0; i < 100; ++i) keys.push_back(i * 7 % 50);
  for (unsigned s = 1; s <= 10; ++s) keys.push_back(std::uint64_t{1} << (6 * s));
  expect_sorts(kSmall, keys);
}

/// The lowest and the highest key.
TEST_P(SmallOnCpu, SortsBothEnds) {
  for (const std::size_t n : {1535, 9001}) {
    std::vector<std::uint32_t> keys(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = i % 3 == 0 ? 0 : ~0u;
    expect_sorts(kSmall, keys);
  }
}

/// As many crowds as fit, each of one key, of two or of many.
TEST_P(SmallOnCpu, SortsManyCrowds) {
  for (const unsigned keys_of_each : {1, 2, 69}) {
    for (const unsigned count : {1500, 12000}) {
      std::vector<std::uint64_t> keys(count);
      for (unsigned i = 0; i < count; ++i) {
        keys[i] = (std::uint64_t{i / 70} << 56) + i % keys_of_each;
      }
      std::shuffle(keys.begin(), keys.end(), std::mt19937(2));
      expect_sorts(kSmall, keys);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, SmallOnCpu, testing::Values(Turns::upwards, Turns::downwards));

}  // namespace
}  // namespace sortlab::tests::small
