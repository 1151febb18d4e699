// The levels of an MSD radix sort on the CPU, one block for the whole grid: buckets are counted, planned and
// scattered until all keys are in leaves or in place. Then each leaf must be small enough, and hold keys of its
// range alone; sorted, leaves and the rest are the result.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>

#include "common/harness/input/distributions.hpp"
#include "tests/on_cpu/spread_table.hpp"
// The words of CUDA come first.
#include "gpu/parts/choose_bins.hpp"
#include "gpu/primitives/grid/msd/count.cuh"
#include "gpu/primitives/grid/msd/enter.cuh"
#include "gpu/primitives/grid/msd/plan_level.cuh"
#include "gpu/primitives/grid/msd/scatter.cuh"

namespace sortlab::tests {
namespace {

using namespace gpu::msd;

constexpr unsigned kThreads = 64;
constexpr unsigned kTile = 512;
constexpr unsigned kMaxLeaf = 512;
constexpr unsigned kBins = 64;

/// What the levels did.
struct Levels {
  unsigned levels = 0;
  unsigned leaves = 0;
  bool are_left = false;  // to another sort
};

/// All levels, as gpu/radix/low_memory does them.
template <class Bits, class Map>
Levels split(const Plan& plan, const Buffers<Bits, Map>& buffers) {
  using Scatter = ScatterShared<Bits, kThreads, kTile / kThreads, kBins>;
  static_assert(sizeof(Scatter) <= sizeof(gpu::s_dynamic));
  Levels did;
  Block::run(kThreads, Turns::upwards, [&] {
    __shared__ NewBucket s_all;
    std::byte* const s_bytes = gpu::dynamic_shared();
    plan_all(plan, plan.n, 8 * sizeof(Bits), s_all);
    __syncthreads();
    const auto digit = digit_of<Bits>;
    unsigned level = 0;
    for (; plan.counters[level].buckets > 0; ++level) {
      count_level<kThreads>(plan, level, buffers, digit,
                            *reinterpret_cast<CountShared<kBins>*>(s_bytes));
      __syncthreads();
      plan_level(plan, level, 0, 1, *reinterpret_cast<SplitShared<kThreads, kBins>*>(s_bytes));
      __syncthreads();
      scatter_level(plan, level, buffers, digit, *reinterpret_cast<Scatter*>(s_bytes));
      __syncthreads();
    }
    if (threadIdx.x == 0) did.levels = level;
  });
  did.leaves = *plan.leaf_count;
  did.are_left = gpu::msd::unless_left(plan, 1) == 0;
  return did;
}

/// The levels of keys whose order is that of the map's numbers.
template <class Bits, class Map = KeyMap<Bits>>
Levels expect_sorted(std::vector<Bits> keys, Map map = {}) {
  constexpr unsigned kKeyBits = 8 * sizeof(Bits);
  constexpr unsigned kDigitBits = std::bit_width(kBins) - 1;
  const std::size_t n = keys.size();
  std::vector<Bits> alternate(n);
  std::vector<Bits> expected = keys;
  const auto by_number = [&](Bits a, Bits b) { return map.ordered(a) < map.ordered(b); };
  std::sort(expected.begin(), expected.end(), by_number);

  gpu::Layout size;
  Plan(size, n, kTile, kMaxLeaf, kDigitBits, kKeyBits);
  const std::unique_ptr<std::byte[]> workspace(new std::byte[size.bytes()]);
  std::memset(workspace.get(), 0xa5, size.bytes());  // any bytes
  gpu::Layout layout(workspace.get());
  Plan plan(layout, n, kTile, kMaxLeaf, kDigitBits, kKeyBits);
  std::memset(static_cast<void*>(plan.counters), 0, plan.state_bytes);
  *plan.left = {};
  const Levels did =
      split(plan, Buffers<Bits, Map>{keys.data(), alternate.data(), map, keys.data()});
  if (did.are_left) return did;

  EXPECT_LE(did.leaves, Plan::max_leaves(n, kMaxLeaf, kKeyBits));
  for (unsigned l = 0; l < did.leaves; ++l) {
    const Leaf& leaf = plan.leaves[l];
    EXPECT_LE(leaf.size, kMaxLeaf);
    const auto from = (leaf.side == 0 ? keys : alternate).begin() + static_cast<long>(leaf.begin);
    std::vector<Bits> sorted(from, from + leaf.size);
    std::sort(sorted.begin(), sorted.end());
    EXPECT_GE(sorted.front(), leaf.keys.low);
    EXPECT_LE(sorted.back() - leaf.keys.low, leaf.keys.span);
    std::transform(sorted.begin(), sorted.end(), keys.begin() + static_cast<long>(leaf.begin),
                   [&](Bits number) { return map.key(number); });
  }
  EXPECT_EQ(keys, expected);
  return did;
}

class MsdLevels : public testing::TestWithParam<const char*> {};

TEST_P(MsdLevels, SplitAnyKeys) {
  for (const std::size_t n : {600u, 20011u}) {
    std::vector<std::uint32_t> keys32(n);
    generate(std::span(keys32), parse_distribution(GetParam()), 12345);
    expect_sorted(keys32);
    std::vector<std::uint64_t> keys64(n);
    generate(std::span(keys64), parse_distribution(GetParam()), 12345);
    expect_sorted(keys64);
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, MsdLevels,
                         testing::ValuesIn(kinds({"uniform", "equal", "zipf:1.0", "text", "heavy",
                                                  "gaps", "d20", "p5", "sorted", "ipv4", "kmers",
                                                  "timestamps"})));

TEST(MsdLevelsOf, ANarrowRangeThatIsHalfFullTakesTwo) {
  // From 2^40 on, a little over 2^32 values: without a look at how full the range is, each bin of the second
  // level would be twice as large as a leaf.
  std::mt19937_64 random(2);
  std::vector<std::uint64_t> keys(10000);
  for (auto& key : keys) key = (std::uint64_t{1} << 40) + random() % 4'400'000'000;
  EXPECT_EQ(expect_sorted(keys).levels, 2u);
}

/// Floats of [0, 1), and a map that spreads them.
struct SpreadFloats {
  std::vector<float> floats = std::vector<float>(20000);
  std::unique_ptr<Weighing<float>> weighing;
  SpreadMap<std::uint32_t> map;

  SpreadFloats() {
    constexpr auto kMap = gpu::key_map_of<float, Order::ascending>();
    std::mt19937_64 random(4);
    for (auto& key : floats) key = static_cast<float>(random() >> 11) * 0x1p-53f;
    weighing = weigh(floats, kMap);
    if (weighing != nullptr) map = {kMap, &weighing->table};
  }
  std::vector<std::uint32_t> bits() const {
    std::vector<std::uint32_t> bits(floats.size());
    std::memcpy(bits.data(), floats.data(), floats.size() * sizeof(float));
    return bits;
  }
};

TEST(MsdLevelsOf, FloatsThatAreSpreadTakeOne) {
  const SpreadFloats keys;
  ASSERT_NE(keys.weighing, nullptr);
  const Levels did = expect_sorted(keys.bits(), keys.map);
  EXPECT_FALSE(did.are_left);
  EXPECT_EQ(did.levels, 1u);
  EXPECT_GT(expect_sorted(keys.bits(), keys.map.key_map).levels, 1u);
}

TEST(MsdLevelsOf, AFloatThatTheMapHasNoNumberForIsNoticed) {
  SpreadFloats keys;
  ASSERT_NE(keys.weighing, nullptr);
  keys.floats[12345] = 1e30f;
  EXPECT_TRUE(expect_sorted(keys.bits(), keys.map).are_left);
}

/// Where bins begin, which counts how often it is asked.
struct CountedStarts {
  std::vector<Count> start;
  mutable unsigned reads = 0;

  Count operator[](unsigned bin) const {
    ++reads;
    return start.at(bin);
  }
};

/// `bins` bins: empty, small, half of a leaf or more, in runs.
CountedStarts random_starts(unsigned bins, unsigned seed) {
  std::mt19937 random(seed);
  CountedStarts starts;
  Count next = 0;
  Count size = 0;
  for (unsigned bin = 0; bin <= bins; ++bin) {
    starts.start.push_back(next);
    if (random() % 4 == 0) {
      const Count sizes[] = {0, 0, random() % 8, kMaxLeaf / 2 - 1, kMaxLeaf / 2, kMaxLeaf};
      size = sizes[random() % std::size(sizes)];
    }
    next += size;
  }
  return starts;
}

TEST(MsdLevelsOf, ALeafEndsWhereTheNextBegins) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const unsigned bins = 1 + seed % 40;
    const CountedStarts starts = random_starts(bins, seed);
    const Count* const start = starts.start.data();
    for (unsigned bin = 0; bin < bins; ++bin) {
      if (!starts_leaf(start, bin, kMaxLeaf)) continue;
      unsigned end = bin + 1;
      while (end < bins && !starts_leaf(start, end, kMaxLeaf)) ++end;
      const LeafBins leaf = leaf_bins(starts, bin, bins, kMaxLeaf);
      ASSERT_EQ(leaf.end, end) << "bin " << bin << ", seed " << seed;
      if (start[bin] == start[end]) continue;  // no keys
      EXPECT_EQ(start[leaf.first], start[bin]);
      EXPECT_GT(start[leaf.first + 1], start[bin]);
      EXPECT_LT(start[leaf.last], start[end]);
      EXPECT_EQ(start[leaf.last + 1], start[end]);
    }
  }
}

TEST(MsdLevelsOf, AThousandEmptyBinsAreNotReadOneByOne) {
  // Times in nanoseconds fill half of a range of 33 bits: one thread had a third of all bins to read.
  constexpr unsigned kManyBins = 2048;
  CountedStarts starts{std::vector<Count>(kManyBins + 1, kMaxLeaf)};
  starts.start[0] = 0;
  EXPECT_EQ(leaf_bins(starts, 1, kManyBins, kMaxLeaf).end, kManyBins);
  EXPECT_LT(starts.reads, 50u);
}

TEST(MsdPlan, ClearsItsOwnCountersAloneWhereverItLies) {
  std::vector<std::byte> memory(std::size_t{1} << 22);
  gpu::Layout layout(memory.data());
  const Plan first(layout, 20'000, kTile, kMaxLeaf, 6, 32);
  const Plan second(layout, 20'000, kTile, kMaxLeaf, 6, 32);
  ASSERT_LE(layout.bytes(), memory.size());
  for (const Plan& plan : {first, second}) {
    EXPECT_EQ(reinterpret_cast<std::byte*>(plan.counters) + plan.state_bytes,
              reinterpret_cast<std::byte*>(plan.left));
  }
}

/// A GPU of several that exchange bins: gpu/multi/fused.
template <class Bits>
struct Part {
  static constexpr unsigned kKeyBits = 8 * sizeof(Bits);
  static constexpr unsigned kDigitBits = std::bit_width(kBins) - 1;
  std::vector<Bits> keys, alternate;
  std::unique_ptr<std::byte[]> top_memory, bins_memory;
  Plan top, rest;

  Part(std::vector<Bits> all, std::size_t capacity)
      : keys(std::move(all)),
        alternate(capacity),
        top(plan_in(top_memory, keys.size(), static_cast<unsigned>(keys.size()))),
        rest(plan_in(bins_memory, capacity, kMaxLeaf)) {}

  static Plan plan_in(std::unique_ptr<std::byte[]>& memory, std::size_t n, unsigned max_leaf) {
    gpu::Layout size;
    Plan(size, n, kTile, max_leaf, kDigitBits, kKeyBits);
    memory.reset(new std::byte[size.bytes()]);
    std::memset(memory.get(), 0xa5, size.bytes());
    gpu::Layout layout(memory.get());
    return Plan(layout, n, kTile, max_leaf, kDigitBits, kKeyBits);
  }
  Buffers<Bits> buffers(KeyMap<Bits> map) {
    return {keys.data(), alternate.data(), map, keys.data()};
  }
};

/// Exchanges the bins of two parts, each to the part that owns its half, and sorts them there.
template <class Bits>
void expect_exchanged(const std::vector<Bits>& all, KeyMap<Bits> map) {
  using Scatter = ScatterShared<Bits, kThreads, kTile / kThreads, kBins>;
  const std::size_t half = all.size() / 2;
  Part<Bits> parts[] = {{{all.begin(), all.begin() + static_cast<long>(half)}, all.size()},
                        {{all.begin() + static_cast<long>(half), all.end()}, all.size()}};
  const auto digit = digit_of<Bits>;
  std::byte* const s_bytes = gpu::dynamic_shared();
  for (Part<Bits>& part : parts) {
    Block::run(kThreads, Turns::upwards, [&] {
      enter_all(part.top, part.kDigitBits, part.kKeyBits, threadIdx.x, kThreads);
      __syncthreads();
      count_level<kThreads>(part.top, 0, part.buffers(map), digit,
                            *reinterpret_cast<CountShared<kBins>*>(s_bytes));
    });
  }
  std::vector<Count> begins[2] = {std::vector<Count>(kBins + 1), std::vector<Count>(kBins + 1)};
  Count place[2] = {0, 0};
  for (unsigned bin = 0; bin < kBins; ++bin) {
    const unsigned owner = bin / (kBins / 2);
    begins[owner][bin] = place[owner];
    for (Part<Bits>& part : parts) {
      const Count count = part.top.even.bins[bin];
      const auto bytes =
          reinterpret_cast<std::intptr_t>(parts[owner].alternate.data() + place[owner]) -
          reinterpret_cast<std::intptr_t>(part.alternate.data());
      part.top.even.bins[bin] = static_cast<Count>(bytes / std::intptr_t{sizeof(Bits)});
      place[owner] += count;
    }
    begins[owner][bin + 1] = place[owner];
  }
  for (Part<Bits>& part : parts) {
    Block::run(kThreads, Turns::downwards, [&] {
      scatter_level(part.top, 0, part.buffers(map), digit, *reinterpret_cast<Scatter*>(s_bytes));
    });
  }
  std::vector<Bits> result;
  for (const unsigned owner : {0, 1}) {
    Part<Bits>& part = parts[owner];
    part.keys.assign(part.alternate.size(), 0);
    const Plan& plan = part.rest;
    std::memset(static_cast<void*>(plan.counters), 0, plan.state_bytes);
    *plan.left = {};
    Block::run(kThreads, Turns::upwards, [&] {
      constexpr unsigned kShift = part.kKeyBits - part.kDigitBits;
      for (unsigned bin = owner * kBins / 2 + gpu::warp_id(); bin < (owner + 1) * kBins / 2;
           bin += 2) {
        enter_bin(plan, begins[owner][bin], begins[owner][bin + 1], Count{bin} << kShift, kShift);
      }
      __syncthreads();
      for (unsigned level = 1; plan.counters[level].buckets > 0; ++level) {
        count_level<kThreads>(plan, level, part.buffers(map), digit,
                              *reinterpret_cast<CountShared<kBins>*>(s_bytes));
        __syncthreads();
        plan_level(plan, level, 0, 1, *reinterpret_cast<SplitShared<kThreads, kBins>*>(s_bytes));
        __syncthreads();
        scatter_level(plan, level, part.buffers(map), digit, *reinterpret_cast<Scatter*>(s_bytes));
        __syncthreads();
      }
    });
    ASSERT_LE(*plan.leaf_count, Plan::max_leaves(part.alternate.size(), kMaxLeaf, part.kKeyBits));
    for (unsigned l = 0; l < *plan.leaf_count; ++l) {
      const Leaf& leaf = plan.leaves[l];
      const auto from =
          (leaf.side == 0 ? part.keys : part.alternate).begin() + static_cast<long>(leaf.begin);
      std::vector<Bits> sorted(from, from + leaf.size);
      std::sort(sorted.begin(), sorted.end());
      std::transform(sorted.begin(), sorted.end(),
                     part.keys.begin() + static_cast<long>(leaf.begin),
                     [&](Bits number) { return map.key(number); });
    }
    result.insert(result.end(), part.keys.begin(),
                  part.keys.begin() + static_cast<long>(place[owner]));
  }
  std::vector<Bits> expected = all;
  std::sort(expected.begin(), expected.end(),
            [&](Bits a, Bits b) { return map.ordered(a) < map.ordered(b); });
  EXPECT_EQ(result, expected);
}

/// Scatters keys to the bins of a table, those of one value left out or not, and writes them as they were.
template <class Bits>
void expect_scattered_by_table(const std::vector<Bits>& all, KeyMap<Bits> map) {
  constexpr unsigned kWanted = 30;
  using Scatter = ScatterShared<Bits, kThreads, kTile / kThreads, kBins, 2 * kTile / kBins>;
  static_assert(sizeof(Scatter) <= sizeof(gpu::s_dynamic));
  std::vector<Bits> sample;
  for (const Bits key : all) sample.push_back(map.ordered(key));
  std::sort(sample.begin(), sample.end());
  auto table = gpu::parts::share_bins<Bits>(sample, {1, kWanted});
  ASSERT_LE(table.bins, 2 * kWanted);
  Part<Bits> part{all, all.size()};
  const auto search = [&](const Bucket&) { return gpu::parts::BinSearch<Bits>(table); };
  std::byte* const s_bytes = gpu::dynamic_shared();
  Block::run(kThreads, Turns::upwards, [&] {
    enter_all(part.top, part.kDigitBits, part.kKeyBits, threadIdx.x, kThreads);
    __syncthreads();
    count_level<kThreads>(part.top, 0, part.buffers(map), search,
                          *reinterpret_cast<CountShared<kBins>*>(s_bytes));
  });
  std::vector<std::vector<Bits>> expected(table.bins);
  for (const Bits key : all) expected[table(map.ordered(key))].push_back(key);
  std::vector<std::size_t> counts;
  std::vector<Count> begins;
  Count place = 0;
  for (unsigned bin = 0; bin < table.bins; ++bin) {
    ASSERT_EQ(part.top.even.bins[bin], expected[bin].size());
    const bool has_one_value = table.begins[bin] == table.last_of(bin);
    if (!has_one_value) ASSERT_LE(expected[bin].size(), 2 * all.size() / kWanted + 1);
    counts.push_back(has_one_value ? 0 : expected[bin].size());
    begins.push_back(place);
    part.top.even.bins[bin] = place;
    place += expected[bin].size();
  }
  const auto slots = gpu::parts::share_slots(counts, {kTile, Scatter::kSlotKeys});
  std::copy(slots.begin(), slots.end(), table.slots);
  Block::run(kThreads, Turns::downwards, [&] {
    scatter_level(part.top, 0, part.buffers(map), search, *reinterpret_cast<Scatter*>(s_bytes),
                  map);
  });
  for (unsigned bin = 0; bin < table.bins; ++bin) {
    if (counts[bin] == 0) continue;
    const auto begin = part.alternate.begin() + static_cast<long>(begins[bin]);
    std::vector<Bits> written(begin, begin + static_cast<long>(counts[bin]));
    std::sort(written.begin(), written.end());
    std::sort(expected[bin].begin(), expected[bin].end());
    ASSERT_EQ(written, expected[bin]) << bin;
  }
}

TEST_P(MsdLevels, ScatterAnyKeysByATable) {
  constexpr auto kDescending = gpu::key_map_of<std::int64_t, Order::descending>();
  for (const std::size_t n : {3000u, 90'011u}) {
    std::vector<std::uint32_t> keys32(n);
    generate(std::span(keys32), parse_distribution(GetParam()), 12345);
    expect_scattered_by_table(keys32, {});
    std::vector<std::uint64_t> keys64(n);
    generate(std::span(keys64), parse_distribution(GetParam()), 12345);
    expect_scattered_by_table(keys64, kDescending);
  }
}

TEST_P(MsdLevels, ExchangeAnyKeys) {
  constexpr auto kDescending = gpu::key_map_of<std::int64_t, Order::descending>();
  for (const std::size_t n : {3000u, 90'011u}) {
    std::vector<std::uint32_t> keys32(n);
    generate(std::span(keys32), parse_distribution(GetParam()), 12345);
    expect_exchanged(keys32, {});
    std::vector<std::uint64_t> keys64(n);
    generate(std::span(keys64), parse_distribution(GetParam()), 12345);
    expect_exchanged(keys64, kDescending);
  }
}

}  // namespace
}  // namespace sortlab::tests
