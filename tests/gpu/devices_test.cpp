// Sorts over several GPUs: every variant, type, distribution and odd share, with one to four parts on one
// GPU, and over two GPUs where there are two. Without a GPU all tests are skipped, with the reason.
// SORTLAB_MATRIX=reduced, for compute-sanitizer, thins out the sizes.
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/contract/device_parts.hpp"
#include "common/contract/errors.hpp"
#include "common/harness/measure/measure.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/plan/selection.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/verify/check.hpp"
#include "tests/device_memory_hog.hpp"
#include "tests/effort.hpp"
#include "tests/subjects.hpp"

namespace sortlab {
namespace {

const bool kReduced = kEffort == Effort::reduced;

std::vector<const Variant*> variants_over_devices() {
  std::vector<const Variant*> found;
  for (const auto& variant : all_variants()) {
    if (variant.is<DeviceParts>()) {
      found.push_back(&variant);
    }
  }
  return found;
}

int gpus() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : 0;
}

/// One to four parts on one GPU, and eight; of two GPUs one part and several.
std::vector<Devices> all_devices() {
  std::vector<Devices> all = {{0}, {0, 0}, {0, 0, 0}, {0, 0, 0, 0}, Devices(8, 0)};
  if (gpus() > 1) {
    for (const Devices& devices : {Devices{0, 1}, Devices{1, 0, 1}}) {
      if (peers_unavailable(devices).empty()) all.push_back(devices);
    }
  }
  return all;
}

/// What the variant's parameters can be set to: each text sets some of them.
std::vector<std::string> ways_to_cut(const Variant& variant) {
  std::vector<std::string> ways;
  for (const auto& spec : variant.info.params) {
    if (spec.name == "pieces") {
      ways = {"pieces=1", "pieces=2", "pieces=7", "pieces=64", "pieces=6;at_once=2"};
    } else if (spec.name == "stored") {
      for (const char* const way : {"pieces=7;stored=3", "pieces=3;stored=64"}) {
        ways.emplace_back(way);
      }
    }
  }
  return ways;
}

class OverDevices : public testing::TestWithParam<const Variant*> {
 protected:
  void SetUp() override {
    if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  }

  static Config config(const Devices& devices, std::size_t n, const std::string& dist = "uniform") {
    Config config;
    config.variant = GetParam()->id;
    config.devices = devices;
    config.n = n;
    config.threads = 0;
    config.dist = parse_distribution(dist);
    return config;
  }

  static void expect_sorts(const Config& config, std::size_t misalign = 0) {
    EXPECT_EQ(check_sort(config, misalign), "") << config.benchmark_name();
  }
};

TEST_P(OverDevices, AnyShare) {
  for (const Devices& devices : all_devices()) {
    for (const std::size_t n : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 257, 5003}) {
      expect_sorts(config(devices, n));
    }
  }
}

TEST_P(OverDevices, AdversarialSizes) {
  for (const std::size_t n : adversarial_sizes(kReduced ? 130 : 8193)) {
    for (const char* const dist : {"uniform", "equal", "mirrored:3", "alltoone:3", "randdups"}) {
      Config pairs = config({0, 0, 0}, n, dist);
      pairs.value_bytes = sizeof(std::uint32_t);
      expect_sorts(pairs, n % 4);
    }
  }
}

TEST_P(OverDevices, AnyDistribution) {
  for (const auto& list : {patterns(), patterns_of_blocks()}) {
    for (const auto& dist : list) {
      Config any = config({0, 0}, kReduced ? 3001 : 70'001, std::string(dist.name));
      expect_sorts(any);
      any.value_bytes = sizeof(std::uint32_t);
      any.order = Order::descending;
      any.devices = {0, 0, 0};
      expect_sorts(any, 1);
    }
  }
}

TEST_P(OverDevices, AnyType) {
  for (const auto& instance : GetParam()->instances) {
    const bool sorts_specials = is_floating(instance.key_type) && instance.traits.total_order;
    for (const Devices& devices : all_devices()) {
      Config any = config(devices, 20'011, sorts_specials ? "special" : "d20");
      any.key_type = instance.key_type;
      any.value_bytes = instance.value_bytes;
      any.order = instance.order;
      expect_sorts(any, 3);
    }
  }
}

TEST_P(OverDevices, MoreItemsThanTheSample) {
  if (kReduced) GTEST_SKIP() << "too slow for a sanitizer";
  for (const Devices& devices : all_devices()) {
    if (devices.size() == 1 || devices.size() == 4) continue;
    for (const std::size_t n : {300'007, 3'000'017}) {
      for (const char* const dist : {"uniform", "zipf", "equal", "sorted", "reverse", "p5"}) {
        Config large = config(devices, n, dist);
        expect_sorts(large);
        large.value_bytes = sizeof(std::uint32_t);
        large.key_type = KeyType::f64;
        expect_sorts(large);
      }
    }
  }
}

/// gpu/multi/fused exchanges so many keys alone by the first pass of the sort, and few that differ by their counts. For a
/// sanitizer there are hardly more than that takes.
TEST_P(OverDevices, KeysAloneByBins) {
  if (kReduced) {
    for (const char* const dist : {"uniform", "p5", "exponential"}) {
      Config few = config({0, 0}, 2'100'011, dist);
      if (!ways_to_cut(*GetParam()).empty()) few.params = "pieces=2";
      expect_sorts(few, 1);
    }
    return;
  }
  for (const Devices& devices : all_devices()) {
    for (const auto& [dist, type] : {std::pair{"uniform", KeyType::u32},
                                     {"sorted", KeyType::u32},
                                     {"mirrored:3", KeyType::u32},
                                     {"exponential", KeyType::u32},
                                     {"rootdups", KeyType::u32},
                                     {"dups16", KeyType::u32},
                                     {"exponential", KeyType::i32},
                                     {"exponential", KeyType::f32},
                                     {"uniform", KeyType::i64},
                                     {"reverse", KeyType::i64}}) {
      Config any = config(devices, 6'000'011, dist);
      any.key_type = type;
      any.order = type == KeyType::u32 ? Order::ascending : Order::descending;
      expect_sorts(any, 1);
    }
  }
}

TEST_P(OverDevices, AnyNumberOfPieces) {
  for (const std::string& way : ways_to_cut(*GetParam())) {
    for (const Devices& devices : all_devices()) {
      Config cut = config(devices, kReduced ? 3001 : 500'003, "zipf");
      cut.params = way;
      cut.value_bytes = sizeof(std::uint32_t);
      expect_sorts(cut);
      if (kReduced) continue;
      Config even = config(devices, 3'000'017);
      even.params = way;
      expect_sorts(even);
    }
  }
}

/// A sample of one sort.
Sample sampled(const Config& config) {
  const auto rig = make_devices_rig(config, 0);
  const Input input = make_input(config, config.seed);
  Sample sample;
  rig->restore(input);
  rig->sort(sample);
  sample.verdict = rig->verdict(input);
  return sample;
}

TEST_P(OverDevices, EvenShares) {
  for (const auto& dist : patterns()) {
    for (const std::size_t n : {1000, 1'000'003}) {
      if (kReduced && n > 1000) continue;
      const Sample sample = sampled(config({0, 0, 0}, n, std::string(dist.name)));
      EXPECT_TRUE(sample.verdict.ok()) << dist.name;
      EXPECT_LE(sample.imbalance.value_or(9), 1.05) << dist.name;
    }
  }
}

TEST_P(OverDevices, TheSampleHasWhatWasMeasured) {
  const Sample two = sampled(config({0, 0}, 100'003));
  EXPECT_GT(two.kernel_ns.value_or(0), 0);
  EXPECT_GE(two.total_ns, two.kernel_ns);
  EXPECT_GT(two.exchange_bytes.value_or(0), 100'000);
  const Sample one = sampled(config({0}, 100'003));
  EXPECT_EQ(one.exchange_bytes, 0);
  EXPECT_EQ(one.imbalance, 1);
}

/// The rig sees what the sort did to its neighbours' memory, and the verdict is about all parts.
TEST_P(OverDevices, TheVerdictIsAboutAllParts) {
  const Config two = config({0, 0}, 10'000);
  const auto rig = make_devices_rig(two, 0);
  const Input input = make_input(two, two.seed);
  Sample sample;
  rig->restore(input);
  rig->sort(sample);
  EXPECT_TRUE(rig->verdict(input).ok());
  EXPECT_EQ(rig->overrun(), "");
  rig->poison();
  EXPECT_FALSE(rig->verdict(input).permutation);
}

TEST_P(OverDevices, WithoutMemoryIsARowWithAReason) {
  if (kReduced) GTEST_SKIP() << "takes all memory";
  const DeviceMemoryHog hog;
  InputPool inputs;
  const Config large = config({0, 0}, std::size_t{1} << 26);
  const Outcome outcome = measure(large, {}, inputs, [](const Sample&) {});
  EXPECT_EQ(outcome.status, Status::skipped);
  EXPECT_THAT(outcome.reason, testing::HasSubstr("GiB on GPU 0"));
}

INSTANTIATE_TEST_SUITE_P(All, OverDevices, testing::ValuesIn(variants_over_devices()),
                         name_of_variant);

TEST(Devices, AreThoseThatThereAre) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  EXPECT_EQ(peers_unavailable({0, 0}), "");
  EXPECT_THAT(devices_unavailable({0, 63}), testing::StartsWith("there is no GPU 63"));
}

/// Two parts of keys on GPU 0, to be sorted by a variant outside of a rig.
class TwoParts {
 public:
  TwoParts(std::size_t items, std::size_t capacity) : items_(items) {
    for (int p = 0; p < 2; ++p) {
      void* memory[3];
      for (void*& m : memory) EXPECT_EQ(cudaMalloc(&m, kBytes), cudaSuccess);
      EXPECT_EQ(cudaMemset(memory[0], p, kBytes), cudaSuccess);
      allocations_.insert(allocations_.end(), memory, memory + 3);
      parts_.push_back({0,
                        memory[0],
                        nullptr,
                        memory[1],
                        nullptr,
                        items,
                        capacity,
                        {static_cast<std::byte*>(memory[2]), kBytes},
                        nullptr,
                        streams_});
    }
  }
  ~TwoParts() {
    for (void* const memory : allocations_) (void)cudaFree(memory);
  }
  TwoParts(const TwoParts&) = delete;
  TwoParts& operator=(const TwoParts&) = delete;

  void fill(const std::vector<std::uint32_t>& keys) const {
    for (const std::size_t p : {0, 1}) {
      EXPECT_EQ(cudaMemcpy(parts_[p].keys, keys.data() + p * items_, items_ * sizeof(keys[0]),
                           cudaMemcpyHostToDevice),
                cudaSuccess);
    }
  }
  std::vector<PartResult> sort_with(const Variant& variant) const {
    const Instance* const instance = variant.instance(KeyType::u32, 0, Order::ascending);
    const Params params(variant.info.params);
    std::vector<PartResult> results;
    instance->sort(ErasedDevicesJob{instance, parts_, &params, &results});
    return results;
  }
  std::vector<std::uint32_t> keys_of(const std::vector<PartResult>& results) const {
    std::vector<std::uint32_t> keys;
    for (const std::size_t p : {0, 1}) {
      const bool in_data = results[p].in == ResultIn::data;
      const std::size_t begin = keys.size();
      keys.resize(begin + results[p].n);
      EXPECT_EQ(cudaMemcpy(keys.data() + begin, in_data ? parts_[p].keys : parts_[p].alternate_keys,
                           results[p].n * sizeof(keys[0]), cudaMemcpyDeviceToHost),
                cudaSuccess);
    }
    return keys;
  }

 private:
  static constexpr std::size_t kBytes = std::size_t{256} << 20;
  std::size_t items_;
  std::vector<void*> allocations_;
  std::vector<Stream> streams_{nullptr, nullptr};
  std::vector<ErasedDevicePart> parts_;
};

/// The top bits do not tell that few keys differ.
TEST(Devices, KeysThatAreEvenInTheirTopBitsAloneAreSorted) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  if (kReduced) GTEST_SKIP() << "too slow for a sanitizer";
  constexpr std::uint32_t kItems = 2'000'000;
  for (const std::uint32_t low : {0u, 1u, 0x10001u}) {  // bits that may be set beside the top 9
    std::vector<std::uint32_t> keys;
    for (std::uint32_t i = 0; i < 2 * kItems; ++i) keys.push_back((i * 7919) << 23 | (i & low));
    const TwoParts two(kItems, kItems + kItems / 20);
    for (const Variant* const variant : variants_over_devices()) {
      if (variant->id == "gpu/multi/gather") continue;  // needs room for all keys
      two.fill(keys);
      const auto sorted = two.keys_of(two.sort_with(*variant));
      auto expected = keys;
      std::sort(expected.begin(), expected.end());
      EXPECT_TRUE(sorted == expected) << variant->id << " " << low;
    }
  }
}

TEST(Devices, AFullReceiveBufferIsAnErrorAndNoOverrun) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  for (const Variant* const variant : variants_over_devices()) {
    if (variant->id == "gpu/multi/gather") continue;  // sends back what it got
    const TwoParts two(1000, 999);
    try {
      two.sort_with(*variant);
      ADD_FAILURE() << variant->id << " found room";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "part 0 would receive 1000 items, its buffers hold 999");
    }
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
}

}  // namespace
}  // namespace sortlab
