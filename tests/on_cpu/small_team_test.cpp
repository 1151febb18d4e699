// A team's sort of gpu/radix/small on the CPU: some blocks, their chunks, the splitters and the buckets, with as many
// items as fit and fewer, for keys that are easy and keys that crowd.
#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <random>
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

/// How the team is asked to sort.
enum class By { sample, passes };

template <class Shape, class Bits, class Value>
void expect_sorted(const std::vector<Bits>& keys, Turns turns, By by) {
  using Job = TeamJob<Bits, Value>;
  using Shared = typename Shape::Shared;
  static_assert(sizeof(Shared) <= sizeof(gpu::s_dynamic));
  std::memset(gpu::s_dynamic, 0xa5, sizeof(gpu::s_dynamic));
  const auto n = static_cast<unsigned>(keys.size());
  std::vector<Bits> data = keys;
  std::vector<Bits> exchange(n);
  std::vector<std::uint32_t> values(n), exchange_values(n), spare_places(n);
  for (unsigned i = 0; i < n; ++i) values[i] = 7 * i + 1;
  const auto words = std::make_unique<TeamWords>();
  std::memset(static_cast<void*>(words.get()), 0xa5, sizeof(TeamWords));  // any bytes may be there
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
    if (by == By::sample) {
      sort_by_team<FiberTeam, Shape, Job>(job, words.get(), sample_size<Shape>(n, n));
    } else {
      sort_by_passes<Shape>(job, FiberTeam(), words.get());
    }
  });
  const std::vector<unsigned> order = order_of(keys);
  for (unsigned p = 0; p < n; ++p) {
    ASSERT_EQ(job.result.keys[p], keys[order[p]]) << "item " << p << " of " << n;
    if constexpr (Job::kPairs) {
      ASSERT_EQ(job.result.values[p], 7 * order[p] + 1) << "item " << p << " of " << n;
    }
  }
}

constexpr unsigned kTeamThreads = 256;
constexpr unsigned kTeamItems = 2;

template <class Bits, class Value, unsigned kBucketItems>
void expect_sorted(const std::string& distribution, unsigned n, Turns turns, By by) {
  SCOPED_TRACE(distribution + " " + std::to_string(n));
  std::vector<Bits> keys(n);
  generate(std::span<Bits>(keys), parse_distribution(distribution), 12345);
  expect_sorted<TeamShape<Bits, Value, kTeamThreads, kTeamItems, kBucketItems, 1>, Bits, Value>(
      keys, turns, by);
}

/// A thread's items where text is sorted by passes, however many these are.
constexpr unsigned kManyItems = 4;

class SmallTeam : public testing::TestWithParam<const char*> {};

constexpr unsigned kTeamChunk = kTeamThreads * kTeamItems;

TEST_P(SmallTeam, SortsAnyKeys) {
  // One item fewer than full chunks, blocks without items.
  for (const unsigned n : {kBlocks * kTeamChunk - 1, 2 * kTeamChunk + 1, 64u}) {
    for (const Turns turns : {Turns::upwards, Turns::downwards}) {
      expect_sorted<std::uint32_t, NoValue, 4>(GetParam(), n, turns, By::sample);
      expect_sorted<std::uint64_t, std::uint32_t, 4>(GetParam(), n, turns, By::sample);
    }
    expect_sorted<std::uint64_t, NoValue, 3>(GetParam(), n, Turns::upwards,
                                             By::sample);  // too little room, at times
    std::vector<std::uint64_t> keys(2 * n);
    generate(std::span<std::uint64_t>(keys), parse_distribution(GetParam()), 12345);
    expect_sorted<
        TeamShape<std::uint64_t, std::uint32_t, kTeamThreads, kManyItems, 2 * kManyItems, 1>,
        std::uint64_t, std::uint32_t>(keys, Turns::alternating, By::sample);
  }
}

TEST_P(SmallTeam, SortsAnyKeysByPasses) {
  for (const unsigned n : {kBlocks * kTeamChunk, 3 * 257u, 64u, 1u}) {
    for (const Turns turns : {Turns::upwards, Turns::downwards}) {
      expect_sorted<std::uint32_t, std::uint32_t, 4>(GetParam(), n, turns, By::passes);
      expect_sorted<std::uint64_t, NoValue, 4>(GetParam(), n, turns, By::passes);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, SmallTeam,
                         testing::ValuesIn(kinds({"uniform", "equal", "zipf:1.0", "text", "heavy",
                                                  "sorted", "reverse", "d20", "p5", "ipv4"})));

TEST(SmallTeamOf, TwoValuesAndBothEnds) {
  for (const unsigned n : {1535u, 1000u}) {
    std::vector<std::uint32_t> keys(n);
    for (unsigned i = 0; i < n; ++i) keys[i] = i % 3 == 0 ? 0 : ~0u;
    for (const Turns turns : {Turns::upwards, Turns::downwards}) {
      expect_sorted<TeamShape<std::uint32_t, NoValue, kTeamThreads, kTeamItems, 4, 1>,
                    std::uint32_t, NoValue>(keys, turns, By::sample);
      expect_sorted<TeamShape<std::uint32_t, std::uint32_t, kTeamThreads, kTeamItems, 4, 1>,
                    std::uint32_t, std::uint32_t>(keys, turns, By::sample);
    }
  }
}

/// Digits that are the same in all keys take no pass.
TEST(SmallTeamOf, OneDigitThatDiffers) {
  for (const unsigned shift : {0u, 24u, 56u}) {
    std::vector<std::uint64_t> keys(1500);
    const std::uint64_t others = 0x0123'4567'89ab'cdef & ~(std::uint64_t{0xff} << shift);
    for (unsigned i = 0; i < keys.size(); ++i)
      keys[i] = others | std::uint64_t{i * 37 % 251} << shift;
    expect_sorted<TeamShape<std::uint64_t, std::uint32_t, kTeamThreads, kTeamItems, 4, 1>,
                  std::uint64_t, std::uint32_t>(keys, Turns::upwards, By::passes);
  }
}

/// Keys in six crowds that differ in all digits: those that repeat are spread, others sorted by passes.
TEST(SmallTeamOf, CrowdsOfManyDigits) {
  using Shape =
      TeamShape<std::uint64_t, std::uint32_t, kTeamThreads, kManyItems, 2 * kManyItems, 4>;
  for (const std::uint64_t different : {std::uint64_t{3}, ~std::uint64_t{0}}) {
    std::vector<std::uint64_t> keys(kBlocks * Shape::kChunk);
    std::mt19937_64 random(12345);
    for (auto& key : keys) {
      key = random() % 6 * 0x2a00'0000'0000'0000 +
            random() % different * 0x0101'0101'0101 % 0x1000'0000'0000;
    }
    for (const Turns turns : {Turns::upwards, Turns::alternating}) {
      expect_sorted<Shape, std::uint64_t, std::uint32_t>(keys, turns, By::sample);
    }
  }
}

/// A bucket with room for no more than its share of even keys.
TEST(SmallTeamOf, ABucketThatIsTooSmall) {
  std::vector<std::uint32_t> keys(kBlocks * kTeamChunk);
  for (unsigned i = 0; i < keys.size(); ++i) keys[i] = i * 2654435761u;
  for (const Turns turns : {Turns::upwards, Turns::downwards}) {
    expect_sorted<TeamShape<std::uint32_t, NoValue, kTeamThreads, kTeamItems, kTeamItems, 1>,
                  std::uint32_t, NoValue>(keys, turns, By::sample);
    expect_sorted<TeamShape<std::uint32_t, std::uint32_t, kTeamThreads, kTeamItems, kTeamItems, 1>,
                  std::uint32_t, std::uint32_t>(keys, turns, By::sample);
  }
}

/// Whether a team leaves pairs with these keys to the sweeps behind it. Even ones it sorts, others it must leave as they
/// are, with a plan of passes.
bool leaves(const std::string& distribution) {
  using Bits = std::uint32_t;
  using Shape =
      TeamShape<Bits, std::uint32_t, gpu::sweep::kPlanThreads, kManyItems, 2 * kManyItems, 2, true>;
  using Job = TeamJob<Bits, std::uint32_t>;
  constexpr unsigned kItems = kBlocks * Shape::kChunk;
  std::vector<Bits> keys(kItems), values(kItems), to_keys(kItems), to_values(kItems);
  generate(std::span<Bits>(keys), parse_distribution(distribution), 12345);
  std::iota(values.begin(), values.end(), 0u);
  const auto given = keys;
  const auto words = std::make_unique<TeamWords>();
  std::memset(static_cast<void*>(words.get()), 0xa5, sizeof(TeamWords));
  std::vector<unsigned> spare_places(kItems);
  using Sweeps = gpu::sweep::Sweeps<Bits, std::uint32_t>;
  std::vector<std::uint64_t> space(Sweeps(kItems, nullptr).space.bytes / sizeof(std::uint64_t) + 1,
                                   ~std::uint64_t{0});
  const Sweeps sweeps(kItems, reinterpret_cast<std::byte*>(space.data()));
  Job job{};
  job.data = {keys.data(), values.data()};
  job.exchange = job.result = {to_keys.data(), to_values.data()};
  job.spare = {keys.data(), spare_places.data()};
  job.n = kItems;
  const gpu::sweep::Arrays<Bits, std::uint32_t> arrays{job.data, job.data, job.exchange, job.map};
  job.sweeps = {gpu::sweep::BeforeSweeps(sweeps, arrays), sweeps.cleared(), sweeps.cleared_words(),
                &words->is_left};
  Block::run_grid(
      kBlocks, Shape::kThreads, Turns::upwards,
      [&] {
        sort_by_team<FiberTeam, Shape, Job>(job, words.get(), sample_size<Shape>(kItems, kItems));
      },
      sizeof(typename Shape::Shared));
  const unsigned needed = sweeps.space.d_plan->needed;
  if (words->is_left) {
    EXPECT_EQ(keys, given) << distribution;
    EXPECT_EQ(needed != 0, !std::is_sorted(given.begin(), given.end())) << distribution;
  } else {
    EXPECT_TRUE(std::is_sorted(to_keys.begin(), to_keys.end())) << distribution;
    EXPECT_EQ(needed, 0u) << distribution;
  }
  return words->is_left;
}

TEST(SmallTeamOf, LeavesUnevenPairsToTheSweeps) {
  for (const char* even : {"uniform", "equal"}) EXPECT_FALSE(leaves(even)) << even;
  for (const char* uneven : {"text", "splats", "timestamps", "sorted"})
    EXPECT_TRUE(leaves(uneven)) << uneven;
}

}  // namespace
}  // namespace sortlab::tests
