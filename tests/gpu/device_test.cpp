// GPU sorts and their rig. Without a GPU all tests are skipped, with the reason.
//
// What is covered, for each GPU variant and key type:
//   the matrix    keys and pairs x both orders x every distribution x every adversarial size up to
//                 8193, between guard zones, in poisoned memory, on its own stream, keys and
//                 values 0, 1, 3 or 8 elements off alignment by turns
//   large inputs  a few sizes beyond every internal threshold
//   both ways     two sorts at once, on two streams
//   host memory, graphs, memory that runs out, n beyond 2^31 and 2^32
// Sizes over a variant's limit are left out; one thread of a GPU gets the smaller ones.
// SORTLAB_MATRIX=reduced, for compute-sanitizer, thins out the sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "common/contract/errors.hpp"
#include "common/harness/breakdown/breakdown.hpp"
#include "common/harness/measure/measure.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/verify/check.hpp"
#include "tests/device_memory_hog.hpp"
#include "tests/effort.hpp"
#include "tests/subjects.hpp"

namespace sortlab {
namespace {

const bool kReduced = kEffort == Effort::reduced;

/// One GPU thread does all the work.
bool is_naive(const Variant& variant) { return variant.id.ends_with("/naive"); }

Config config_of(const Variant& variant, KeyType type, std::size_t n,
                 const std::string& dist = "uniform") {
  Config config;
  config.variant = variant.id;
  config.key_type = type;
  config.n = n;
  config.threads = 0;
  config.dist = parse_distribution(dist);
  return config;
}

/// Whether the variant promises a right result: not for inputs over its limit, nor for -0 and NaNs
/// if it orders these differently.
bool is_fit_for(const Config& config) {
  const Variant& variant = *find_variant(config.variant);
  if (variant.instance(config.key_type, config.value_bytes, config.order) == nullptr) return false;
  if (config.n > variant.limit(config.dist.name).max_n) return false;
  return variant.info.total_order || !is_floating(config.key_type) || config.dist.name != "special";
}

void skip_without_device(const Variant* variant = nullptr) {
  if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  if (variant == nullptr) return;
  if (const auto reason = variant->unavailable(); !reason.empty()) GTEST_SKIP() << reason;
}

/// Reports the faults that f(case) returns, "" for none. Several threads take the cases in turn,
/// because a single one would mostly wait for the GPU. Each stops at its first fault.
template <class Case, class F>
void for_each_in_parallel(std::vector<Case>& cases, F f) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    try {
      for (std::size_t i; (i = next++) < cases.size();) {
        const std::string fault = f(cases[i]);
        ASSERT_EQ(fault, "");
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  };
  std::vector<std::jthread> others(kReduced ? 0 : 7);  // a sanitizer runs one kernel at a time
  for (auto& other : others) other = std::jthread(work);
  work();
}

class DeviceMatrix : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override { skip_without_device(&variant()); }

  const Variant& variant() const { return *GetParam().variant; }

  /// The configurations of this subject that the variant has code for.
  std::vector<Config> instances() const {
    std::vector<Config> configs = instances_of(GetParam());
    for (Config& config : configs) config.threads = 0;
    return configs;
  }

  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> sizes = adversarial_sizes(is_naive(variant()) ? 1025 : 8193);
    if (kReduced) {
      std::erase_if(sizes, [](std::size_t n) { return n > 130 && n % 3 != 1; });
      std::erase_if(sizes, [](std::size_t n) { return n > 2050; });
    }
    return sizes;
  }
};

TEST_P(DeviceMatrix, SortsEveryDistributionAtAdversarialSizes) {
  constexpr std::size_t kMisaligned[] = {0, 1, 3, 8};
  struct Case {
    Config config;
    std::size_t misalign;
  };
  std::vector<Case> cases;
  for (Config& config : instances()) {
    for (const std::size_t n : sizes()) {
      config.n = n;
      cases.push_back({config, kMisaligned[cases.size() % 4]});
    }
  }
  for_each_in_parallel(cases, [](Case& one) {
    const auto rig = make_device_rig(one.config, one.misalign);
    for (const auto& distribution : patterns()) {
      one.config.dist = parse_distribution(distribution.name);
      if (!is_fit_for(one.config)) continue;
      const std::string fault = fault_of_sorting(*rig, make_input(one.config, one.config.seed));
      if (fault.empty()) continue;
      return fault + ": " + one.config.benchmark_name() + ", misaligned by " +
             std::to_string(one.misalign);
    }
    return std::string();
  });
}

TEST_P(DeviceMatrix, SortsLargeInputs) {
  const std::vector<std::size_t> sizes =
      kReduced ? std::vector<std::size_t>{20'011}
               : std::vector<std::size_t>{65'537, 200'003, 1'048'576, 3'000'017};
  for (Config& config : instances()) {
    for (const char* distribution : {"uniform", "zipf", "organpipe", "equal", "special"}) {
      config.dist = parse_distribution(distribution);
      for (const std::size_t n : sizes) {
        config.n = is_naive(variant()) ? std::min<std::size_t>(n, 2048) : n;
        if (!is_fit_for(config)) continue;
        EXPECT_EQ(check_sort(config, 1), "") << config.benchmark_name();
      }
    }
  }
}

TEST_P(DeviceMatrix, SortsTheKeysOfPrograms) {
  for (const auto& distribution : all_distributions()) {
    if (!distribution.usage.is_real() || !distribution.usage.types.has(GetParam().key_type))
      continue;
    for (Config& config : instances()) {
      config.dist = parse_distribution(distribution.name);
      config.n = is_naive(variant()) ? 2048 : kReduced ? 20'011 : 300'007;
      if (!distribution.usage.has_value_bytes(config.value_bytes) || !is_fit_for(config)) continue;
      EXPECT_EQ(check_sort(config, 1), "") << config.benchmark_name();
    }
  }
}

/// The sizes above fit its workspace, but for one: here it has to split each distribution in place.
TEST(LowMemory, SplitsEveryDistribution) {
  const Variant* const variant = find_variant("gpu/radix/low_memory");
  skip_without_device(variant);
  if (testing::Test::IsSkipped()) return;
  if (kReduced) GTEST_SKIP() << "too slow for a sanitizer";
  for (const KeyType type : {KeyType::u32, KeyType::f64}) {
    Config config = config_of(*variant, type, 2'500'003);
    for (const std::size_t misalign : {0, 1, 3}) {
      const auto rig = make_device_rig(config, misalign);
      for (const auto& distribution : patterns()) {
        config.dist = parse_distribution(distribution.name);
        if (!is_fit_for(config)) continue;
        EXPECT_EQ(fault_of_sorting(*rig, make_input(config, config.seed)), "")
            << config.benchmark_name() << ", misaligned by " << misalign;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, DeviceMatrix, testing::ValuesIn(subjects_in(Memory::device)),
                         name_of_subject);

class DeviceSorts : public testing::TestWithParam<const Variant*> {
 protected:
  void SetUp() override {
    skip_without_device(GetParam());
    if (GetParam()->instance(KeyType::u32, 0, Order::ascending) == nullptr) {
      GTEST_SKIP() << "has no code for u32";
    }
  }

  Config config(std::size_t n) const {
    return config_of(*GetParam(), KeyType::u32,
                     is_naive(*GetParam()) ? std::min<std::size_t>(n, 1000) : n);
  }
};

TEST_P(DeviceSorts, TwoAtOnceOnTwoStreams) {
  const Config first = config(100'003);
  Config second = first;
  second.n -= 500;
  const auto sort_often = [](const Config& config, std::string& fault) {
    try {
      const auto rig = make_device_rig(config, 1);
      for (int i = 0; i < (kReduced ? 2 : 20) && fault.empty(); ++i) {
        fault =
            fault_of_sorting(*rig, make_input(config, config.seed + static_cast<std::uint64_t>(i)));
      }
    } catch (const std::exception& error) {
      fault = error.what();
    }
  };
  std::string first_fault, second_fault;
  std::thread other(sort_often, std::cref(second), std::ref(second_fault));
  sort_often(first, first_fault);
  other.join();
  EXPECT_EQ(first_fault, "");
  EXPECT_EQ(second_fault, "");
}

TEST_P(DeviceSorts, FromAndToTheHost) {
  for (const HostMem host_mem : {HostMem::pageable, HostMem::pinned, HostMem::staged}) {
    Config c = config(20'011);
    c.host_mem = host_mem;
    const auto rig = make_device_rig(c, 0);
    const Input input = make_input(c, c.seed);
    Sample sample;
    rig->restore(input);
    rig->sort(sample);
    EXPECT_TRUE(rig->verdict(input).ok()) << c.benchmark_name();
    EXPECT_GT(sample.h2d_ns.value_or(0), 0);
    EXPECT_GT(sample.d2h_ns.value_or(0), 0);
    EXPECT_GT(sample.kernel_ns.value_or(0), 0);
    EXPECT_GE(sample.total_ns + 10'000, *sample.h2d_ns + *sample.kernel_ns + *sample.d2h_ns);
  }
}

TEST_P(DeviceSorts, AsAGraphOrNotAtAll) {
  Config c = config(20'011);
  c.launch = Launch::graph;
  std::unique_ptr<Rig> rig;
  try {
    rig = make_device_rig(c, 0);
  } catch (const NotCapturable& error) {
    EXPECT_FALSE(GetParam()->info.capturable) << error.what();
    EXPECT_FALSE(device_is_broken());
    return;
  }
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    EXPECT_EQ(fault_of_sorting(*rig, make_input(c, seed)), "") << c.benchmark_name();
  }
}

TEST_P(DeviceSorts, WithoutMemoryFailsAndRecovers) {
  Config c = config(4'000'037);
  if (const Limit limit = GetParam()->limit("uniform"); c.n > limit.max_n) {
    GTEST_SKIP() << limit.reason;
  }
  const auto rig = make_device_rig(c, 0);
  const Input input = make_input(c, c.seed);
  rig->restore(input);
  {
    const DeviceMemoryHog hog;
    Sample untimed;
    try {
      rig->sort(untimed);  // may well go without memory of its own
    } catch (const std::exception&) {
    }
    EXPECT_THROW(make_device_rig(config_of(*GetParam(), KeyType::u32, hog.bytes() / 4), 0),
                 std::bad_alloc);
  }
  EXPECT_FALSE(device_is_broken());
  EXPECT_EQ(fault_of_sorting(*rig, input), "");
}

TEST_P(DeviceSorts, BeyondTwoToThe31And32) {
  if (kReduced) GTEST_SKIP() << "too slow for a sanitizer";
  // Kept from one variant to the next: making so many keys takes longer than sorting them.
  static InputPool inputs[2];
  for (const int i : {0, 1}) {
    const std::size_t n = (std::size_t{1} << (31 + i)) + 12'345;
    const Config c = config_of(*GetParam(), KeyType::u32, n);
    if (n > GetParam()->limit("uniform").max_n) GTEST_SKIP() << GetParam()->limit("uniform").reason;
    const std::string reason = lacks_memory(c, InputPool::bytes_needed(c));
    if (!reason.empty()) GTEST_SKIP() << reason;
    inputs[i].prepare(c);
    const auto rig = make_device_rig(c, 0);
    EXPECT_EQ(fault_of_sorting(*rig, inputs[i].version(0)), "") << c.benchmark_name();
  }
}

INSTANTIATE_TEST_SUITE_P(All, DeviceSorts, testing::ValuesIn(variants_in(Memory::device)),
                         name_of_variant);

class DeviceRig : public testing::Test {
 protected:
  void SetUp() override { skip_without_device(); }

  /// Any fast variant for all inputs.
  static const Variant& some_variant() { return *find_variant("gpu/bitonic/two_phase"); }
};

TEST_F(DeviceRig, TooLargeIsASkippedRowWithTheReason) {
  InputPool inputs;
  const Config c = config_of(some_variant(), KeyType::u32, std::size_t{1} << 40);
  const Outcome outcome = measure(c, {}, inputs, [](const Sample&) { FAIL(); });
  EXPECT_EQ(outcome.status, Status::skipped);
  EXPECT_NE(outcome.reason.find("on the device"), std::string::npos) << outcome.reason;
}

TEST_F(DeviceRig, SamplesCarryTheClocks) {
  InputPool inputs;
  StopSettings stop;
  stop.max_samples = stop.min_samples = 3;
  Config c = config_of(some_variant(), KeyType::u32, 1 << 20);
  c.cache = CacheState::cold;
  int samples = 0;
  const Outcome outcome = measure(c, stop, inputs, [&](const Sample& sample) {
    ++samples;
    EXPECT_GT(sample.kernel_ns.value_or(0), 0);
    EXPECT_LE(*sample.kernel_ns, sample.total_ns + 10'000);
    EXPECT_TRUE(sample.verdict.ok());
  });
  EXPECT_EQ(outcome.status, Status::ok) << outcome.reason;
  EXPECT_EQ(samples, 3);
}

TEST_F(DeviceRig, StagesPageableMemory) {
  for (const std::size_t value_bytes : {std::size_t{0}, sizeof(std::uint32_t)}) {
    for (const std::size_t n : {0, 1, 131'071, 131'072, 1'048'575, 3'000'017, 33'554'467}) {
      if (kReduced && n > 1'048'575) continue;
      Config c = config_of(some_variant(), KeyType::u32, n);
      c.value_bytes = value_bytes;
      c.host_mem = HostMem::staged;
      const auto rig = make_device_rig(c, 0);
      for (std::uint64_t seed = 0; seed < 3; ++seed) {
        EXPECT_EQ(fault_of_sorting(*rig, make_input(c, seed)), "") << c.benchmark_name();
      }
    }
  }
}

TEST_F(DeviceRig, RecordsEachKernel) {
  if (const auto reason = recording_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  const Config c = config_of(some_variant(), KeyType::u32, 1 << 20);
  const auto rig = make_device_rig(c, 0);
  rig->restore(make_input(c, 1));
  Sample untimed;
  const auto [activities, spans] = record_activities([&] { rig->sort(untimed); });
  ASSERT_FALSE(activities.empty());
  EXPECT_GT(activities.front().launches, 0);
  EXPECT_GT(activities.front().total_ns, 0);
  EXPECT_GE(spans.size(), activities.size());
}

TEST_F(DeviceRig, TellsWhatTheDeviceIs) {
  const auto gpu = describe_gpu();
  EXPECT_EQ(gpu.at("name"), gpu_name());
  EXPECT_GT(gpu.at("sms"), 0);
}

}  // namespace
}  // namespace sortlab
