// A team's sort of gpu/radix/small on the CPU: some blocks, their chunks, the splitters and the buckets, with as many
// items as fit and fewer, for keys that are easy and keys that crowd.
#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "common/harness/input/distributions.hpp"
#include "tests/on_cpu/device_on_cpu.hpp"
// The words of CUDA come first.
#include "gpu/radix/small/team.cuh"

namespace sortlab::tests {
namespace {

using namespace gpu::radix::small;

/// The blocks of a grid of fibers.
struct FiberTeam {
  struct Group {
    unsigned long barrier_arrive() const { return Block::arrive_in_grid(); }
    void barrier_wait(unsigned long arrival) const { Block::wait_in_grid(arrival); }
    void sync() const { barrier_wait(barrier_arrive()); }
  };
  Group group;
  unsigned rank() const { return blockIdx.x; }
  unsigned size() const { return gridDim.x; }
};

constexpr unsigned kBlocks = 3;

/// The order of the items, stable.
template <class Bits>
std::vector<unsigned> order_of(const std::vector<Bits>& keys) {
  std::vector<unsigned> order(keys.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](unsigned a, unsigned b) { return keys[a] < keys[b]; });
  return order;
}

template <class Shape, class Bits, class Value>
void expect_sorted(const std::vector<Bits>& keys, Turns turns) {
  using Job = TeamJob<Bits, Value>;
  using Shared = typename Shape::Shared;
  static_assert(sizeof(Shared) <= sizeof(gpu::s_dynamic));
  std::memset(gpu::s_dynamic, 0xa5, sizeof(gpu::s_dynamic));
  const auto n = static_cast<unsigned>(keys.size());
  std::vector<Bits> data = keys;
  std::vector<Bits> exchange(n);
  std::vector<std::uint32_t> values(n), exchange_values(n), spare_places(n);
  for (unsigned i = 0; i < n; ++i) values[i] = 7 * i + 1;
  unsigned totals[kMaxTeam];
  std::fill(std::begin(totals), std::end(totals), 12345u);
  Job job{};
  job.data.keys = job.spare.keys = data.data();
  job.exchange.keys = exchange.data();
  if constexpr (Job::kPairs) {
    job.data.values = values.data();
    job.exchange.values = exchange_values.data();
    job.spare.values = spare_places.data();
  }
  job.result = Job::kPairs ? job.exchange : job.data;
  job.n = n;
  Block::run_grid(kBlocks, Shape::kThreads, turns, [&] {
    sort_by_team<FiberTeam, Shape, Job>(job, totals, sample_size<Shape>(n, kBlocks * 16));
  });
  const std::vector<unsigned> order = order_of(keys);
  for (unsigned p = 0; p < n; ++p) {
    ASSERT_EQ(job.result.keys[p], keys[order[p]]) << "item " << p << " of " << n;
    if constexpr (Job::kPairs) {
      ASSERT_EQ(job.result.values[p], 7 * order[p] + 1) << "item " << p << " of " << n;
    }
  }
}

/// Blocks of 64 threads. kBucketItems of over 24 are not held in registers.
template <class Bits, class Value, unsigned kBucketItems>
void expect_sorted(const std::string& distribution, unsigned n, Turns turns) {
  SCOPED_TRACE(distribution + " " + std::to_string(n));
  std::vector<Bits> keys(n);
  generate(std::span<Bits>(keys), parse_distribution(distribution), 12345);
  expect_sorted<TeamShape<Bits, Value, 64, 4, kBucketItems, 2>, Bits, Value>(keys, turns);
}

class SmallTeam : public testing::TestWithParam<const char*> {};

TEST_P(SmallTeam, SortsAnyKeys) {
  constexpr unsigned kChunk = 64 * 4;
  // Full chunks and one item fewer, blocks without items, an item in the last row of a chunk.
  for (const unsigned n : {kBlocks * kChunk, kBlocks * kChunk - 1, 2 * kChunk + 1, 3u * 65, 64u}) {
    for (const Turns turns : {Turns::upwards, Turns::downwards}) {
      expect_sorted<std::uint32_t, NoValue, 8>(GetParam(), n, turns);
      expect_sorted<std::uint64_t, std::uint32_t, 6>(GetParam(), n, turns);
    }
    expect_sorted<std::uint64_t, NoValue, 5>(GetParam(), n,
                                             Turns::upwards);  // too little room, at times
    expect_sorted<std::uint32_t, std::uint32_t, 26>(GetParam(), n, Turns::downwards);
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, SmallTeam,
                         testing::Values("uniform", "equal", "d20", "p5", "zipf:1.0", "sorted",
                                         "reverse", "text", "heavy", "ipv4"));

TEST(SmallTeamOf, TwoValuesAndBothEnds) {
  for (const unsigned n : {767u, 500u}) {
    std::vector<std::uint32_t> keys(n);
    for (unsigned i = 0; i < n; ++i) keys[i] = i % 3 == 0 ? 0 : ~0u;
    for (const Turns turns : {Turns::upwards, Turns::downwards}) {
      expect_sorted<TeamShape<std::uint32_t, NoValue, 64, 4, 6, 2>, std::uint32_t, NoValue>(keys,
                                                                                            turns);
      expect_sorted<TeamShape<std::uint32_t, std::uint32_t, 64, 4, 6, 2>, std::uint32_t,
                    std::uint32_t>(keys, turns);
    }
  }
}

TEST(DeviceOnCpu, ACopyArrivesWhenItsThreadWaits) {
  const unsigned from = 7;
  unsigned to = 0;
  Block::run(32, Turns::upwards, [&] {
    if (threadIdx.x != 5) return;
    gpu::start_copy(to, from);
    EXPECT_EQ(to, 0u);
    gpu::wait_for_copies();
    EXPECT_EQ(to, 7u);
  });
}

TEST(DeviceOnCpu, BlocksHaveSharedMemoryOfTheirOwnAndMeet) {
  for (const Turns turns : {Turns::upwards, Turns::downwards}) {
    unsigned sum = 0;
    Block::run_grid(3, 64, turns, [&] {
      auto& s_mine = reinterpret_cast<unsigned&>(*gpu::s_dynamic);
      if (threadIdx.x == 0) s_mine = blockIdx.x;
      __syncthreads();
      const FiberTeam team;
      atomicAdd(&sum, s_mine);
      team.group.sync();
      EXPECT_EQ(s_mine, blockIdx.x);
      EXPECT_EQ(sum, 64u * (0 + 1 + 2));
    });
  }
}

}  // namespace
}  // namespace sortlab::tests
