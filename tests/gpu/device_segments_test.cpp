// Sorts of segments on a GPU. Without a GPU all tests are skipped, with the reason.
//
// What is covered, of each such variant: all rules of lengths, at sizes on both sides of every class, keys and pairs in
// both orders, between guard zones, in poisoned memory. Of gpu/segments/by_class as a function, too: what only the library
// asks for, graphs that are replayed with other data and offsets, and offsets that are wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "common/harness/plan/plan.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/verify/check.hpp"
#include "gpu/segments/sorts.hpp"
#include "tests/effort.hpp"
#include "tests/on_device.cuh"
#include "tests/subjects.hpp"

namespace sortlab {
namespace {

const bool kReduced = kEffort == Effort::reduced;

void skip_without_device() {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
}

// ---- The variants ----

std::vector<Subject> segment_subjects() {
  std::vector<Subject> subjects;
  for (const auto& variant : all_variants()) {
    if (!variant.is<Segments>() || variant.info.memory != Memory::device) continue;
    for (const KeyType type : kKeyTypes) {
      if (variant.instance(type, 0, Order::ascending) != nullptr) {
        subjects.push_back({&variant, type});
      }
    }
  }
  return subjects;
}

class DeviceSegments : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override { skip_without_device(); }

  /// CUB's sorts may leave their result in the other array, so they take segments without gaps.
  bool takes(const std::string& rule) const {
    const bool has_gaps = rule == "strided" || rule == "ragged" || rule == "apart";
    return !has_gaps || !GetParam().variant->id.starts_with("gpu/baselines/");
  }

  void expect_sorted(std::size_t n, const std::string& lengths, const std::string& dist) const {
    for (Config& config : instances_of(GetParam())) {
      config.threads = 0;
      config.n = n;
      config.lengths = parse_lengths(lengths);
      config.dist = parse_distribution(dist);
      EXPECT_EQ(check_sort(config, n % 4), "") << config.benchmark_name();
    }
  }
};

TEST_P(DeviceSegments, SortsSegmentsOfEachClass) {
  const std::vector<std::size_t> means =
      kReduced ? std::vector<std::size_t>{5, 300} : std::vector<std::size_t>{1, 5, 60, 300};
  for (const std::string rule : {"rows", "strided", "ragged", "fixed", "exponential", "power",
                                 "giant", "empty", "apart", "tiles", "matrix", "lists", "series"}) {
    if (!takes(rule)) continue;
    for (const std::size_t mean : means) {
      expect_sorted(kReduced ? 3001 : 20'011, rule + ":" + std::to_string(mean), "uniform");
    }
  }
}

TEST_P(DeviceSegments, SortsRowsOnBothSidesOfEachClass) {
  for (const std::size_t most : {8, 16, 32, 64, 128, 256, 1024, 4096, 14336, 16384}) {
    if (kReduced && most > 1024) continue;
    for (const std::size_t length : {most, most + 1}) {
      expect_sorted(3 * length, "rows:" + std::to_string(length), "uniform");
    }
  }
}

TEST_P(DeviceSegments, SortsLargeSegments) {
  if (kReduced) GTEST_SKIP() << "reduced";
  for (const std::string dist : {"uniform", "equal", "zipf", "sorted"}) {
    for (const std::string lengths :
         {"exponential:20000", "giant:7", "fixed:100000", "rows:70000"}) {
      expect_sorted(1'000'003, lengths, dist);
    }
  }
}

/// Equal keys crowd into bins, and are sorted by digits: one or several, in blocks of each shape, also in pieces.
TEST_P(DeviceSegments, SortsFewDifferentKeys) {
  const std::size_t n = kReduced ? 2001 : 50'001;
  for (const std::string dist : {"equal", "experts", "d20", "twodups", "zipf"}) {
    for (const std::string lengths : {"rows:600", "rows:2000", "exponential:3000", "rows:7000",
                                      "rows:14000", "rows:16384", "giant:7"}) {
      expect_sorted(n, lengths, dist);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, DeviceSegments, testing::ValuesIn(segment_subjects()),
                         [](const auto& info) {
                           return test_name(info.param.variant->id) + "_" +
                                  std::string(name_of(info.param.key_type));
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DeviceSegments);

// ---- gpu/segments/by_class as a function ----

namespace by_class = gpu::segments::by_class;
using gpu::OnDevice;
using gpu::segments::Call;
using Places = std::vector<std::uint32_t>;
using Offsets = std::vector<std::uint32_t>;

/// Lengths of all classes, with empty segments between.
Offsets some_offsets(std::uint64_t seed, std::size_t n) {
  std::mt19937_64 random(seed);
  Offsets offsets{0};
  while (offsets.back() < n) {
    const std::size_t length = random() % (random() % 8 == 0   ? 30'000
                                           : random() % 8 == 0 ? 2000
                                                               : 40);
    offsets.push_back(
        static_cast<std::uint32_t>(std::min<std::size_t>(n, offsets.back() + length)));
  }
  return offsets;
}

std::vector<float> some_keys(std::uint64_t seed, std::size_t n) {
  std::mt19937_64 random(seed);
  std::vector<float> keys(n);
  for (float& key : keys) key = static_cast<float>(random() % 1000) - 500;
  for (std::size_t i = 0; i < n; i += 97) {
    keys[i] = std::copysign(std::numeric_limits<float>::quiet_NaN(), i % 2 == 0 ? 1.f : -1.f);
  }
  return keys;
}

/// The bits of a key in ascending totalOrder, but all NaNs with the sign `-` behind all others if nans_last.
std::uint32_t rank_of(float key, bool nans_last) {
  const auto bits = std::bit_cast<std::uint32_t>(key);
  const std::uint32_t ordered = (bits >> 31) != 0 ? ~bits : bits | 1u << 31;
  const auto lowest = ~std::bit_cast<std::uint32_t>(-std::numeric_limits<float>::infinity());
  return nans_last ? ordered - lowest : ordered;
}

/// The places in its segment that each key of a result had.
Places expected_places(const std::vector<float>& keys, const Offsets& offsets, bool nans_last) {
  Places places(keys.size());
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    const auto begin = places.begin() + offsets[s];
    const auto end = places.begin() + offsets[s + 1];
    std::iota(begin, end, 0u);
    const float* const of_segment = keys.data() + offsets[s];
    std::stable_sort(begin, end, [&](std::uint32_t a, std::uint32_t b) {
      return rank_of(of_segment[a], nans_last) < rank_of(of_segment[b], nans_last);
    });
  }
  return places;
}

/// A call and its memory, for n floats with values of 4 bytes.
struct CallOfFloats {
  std::size_t n;
  OnDevice<float> source, data, alternate;
  OnDevice<std::uint32_t> values, other_values, offsets;
  OnDevice<std::byte> workspace;
  Call call;

  CallOfFloats(const std::vector<float>& keys, const Offsets& of, std::size_t segments)
      : n(keys.size()),
        source(keys),
        data(keys),
        alternate(keys),
        values(Places(n, 7)),
        other_values(Places(n, 7)),
        offsets(of),
        workspace(std::vector<std::byte>(by_class::workspace_bytes(4, 4, n, segments, n, false))),
        call{.keys = {KeyType::f32, Order::ascending},
             .value_bytes = 4,
             .n = n,
             .cut = {.count = segments, .begins = offsets.get(), .ends = offsets.get() + 1},
             .longest = n,
             .source = source.get(),
             .data_keys = data.get(),
             .data_values = values.get(),
             .alternate_keys = alternate.get(),
             .alternate_values = other_values.get(),
             .are_numbered = true,
             .d_workspace = workspace.get()} {}

  void expect_places(const std::vector<float>& keys, const Offsets& of) const {
    const Places expected = expected_places(keys, of, call.nans_last);
    EXPECT_EQ(values.on_host(), expected);
    std::vector<float> sorted(n);
    for (std::size_t s = 0; s + 1 < of.size(); ++s) {
      for (std::size_t i = of[s]; i < of[s + 1]; ++i) sorted[i] = keys[of[s] + expected[i]];
    }
    const auto found = data.on_host();
    EXPECT_EQ(std::memcmp(found.data(), sorted.data(), n * sizeof(float)), 0);
  }
};

class ByClass : public testing::Test {
 protected:
  void SetUp() override { skip_without_device(); }
  static constexpr std::size_t kItems = 200'001;
};

TEST_F(ByClass, NumbersItemsAndLeavesTheSourceAsItIs) {
  const auto keys = some_keys(1, kItems);
  const Offsets offsets = some_offsets(2, kItems);
  for (const bool nans_last : {false, true}) {
    CallOfFloats one(keys, offsets, offsets.size() - 1);
    one.call.nans_last = nans_last;
    by_class::sort(one.call);
    one.expect_places(keys, offsets);
    const auto source = one.source.on_host();
    EXPECT_EQ(std::memcmp(source.data(), keys.data(), kItems * sizeof(float)), 0);
  }
}

TEST_F(ByClass, WritesPlacesOfEightBytes) {
  const auto keys = some_keys(1, kItems);
  const Offsets offsets = some_offsets(3, kItems);
  CallOfFloats one(keys, offsets, offsets.size() - 1);
  const OnDevice<std::uint64_t> wide(std::vector<std::uint64_t>(kItems, 7));
  one.call.wide_places = wide.get();
  by_class::sort(one.call);
  const auto found = wide.on_host();
  EXPECT_EQ(Places(found.begin(), found.end()), expected_places(keys, offsets, false));
}

TEST_F(ByClass, ReplaysAGraphWithOtherKeysAndOffsets) {
  const Offsets first = some_offsets(4, kItems);
  CallOfFloats one(some_keys(5, kItems), first, first.size() - 1);
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream), "cudaStreamCreate");
  one.call.stream = stream;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "begin");
  by_class::sort(one.call);
  cudaGraph_t graph = nullptr;
  check(cudaStreamEndCapture(stream, &graph), "end");
  cudaGraphExec_t replayed = nullptr;
  check(cudaGraphInstantiate(&replayed, graph, 0), "instantiate");
  for (std::uint64_t seed = 6; seed < 9; ++seed) {
    const auto keys = some_keys(seed, kItems);
    Offsets offsets = some_offsets(seed + 10, kItems);
    if (seed == 8) offsets = {0};  // one segment of all
    offsets.resize(first.size(), static_cast<std::uint32_t>(kItems));
    offsets.back() = static_cast<std::uint32_t>(kItems);
    check(cudaMemcpy(one.source.get(), keys.data(), kItems * sizeof(float), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    check(cudaMemcpy(one.offsets.get(), offsets.data(), offsets.size() * sizeof(std::uint32_t),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
    check(cudaGraphLaunch(replayed, stream), "cudaGraphLaunch");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    one.expect_places(keys, offsets);
  }
  check(cudaGraphExecDestroy(replayed), "cudaGraphExecDestroy");
  check(cudaGraphDestroy(graph), "cudaGraphDestroy");
  check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

/// What compute-sanitizer watches, too: each access stays in the arrays.
TEST_F(ByClass, StaysInsideItsArraysWhateverTheOffsets) {
  const std::size_t n = kReduced ? 20'001 : kItems;
  const auto keys = some_keys(9, n);
  std::mt19937 random(10);
  for (const unsigned most : {static_cast<unsigned>(n), 2 * static_cast<unsigned>(n), ~0u}) {
    Offsets offsets(2000);
    for (auto& offset : offsets) offset = static_cast<std::uint32_t>(random() % most);
    for (const bool are_numbered : {false, true}) {
      // Only the middle half of the items may be touched: the memory around it belongs to others.
      CallOfFloats one(keys, offsets, offsets.size() - 1);
      const std::size_t quarter = n / 4;
      one.call.are_numbered = are_numbered;
      one.call.n = n / 2;
      one.call.source = one.source.get() + quarter;
      one.call.data_keys = one.data.get() + quarter;
      one.call.data_values = one.values.get() + quarter;
      one.call.alternate_keys = one.alternate.get() + quarter;
      one.call.alternate_values = one.other_values.get() + quarter;
      by_class::sort(one.call);
      check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
      const auto same_around = [&](const auto& found, const auto& before) {
        const auto same = [&](std::size_t from, std::size_t to) {
          return std::memcmp(found.data() + from, before.data() + from,
                             (to - from) * sizeof(found[0])) == 0;
        };
        return same(0, quarter) && same(quarter + n / 2, n);
      };
      EXPECT_TRUE(same_around(one.data.on_host(), keys));
      EXPECT_TRUE(same_around(one.alternate.on_host(), keys));
      EXPECT_TRUE(same_around(one.values.on_host(), Places(n, 7)));
      EXPECT_TRUE(same_around(one.other_values.on_host(), Places(n, 7)));
    }
  }
}

}  // namespace
}  // namespace sortlab
