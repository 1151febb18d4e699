// Sorts of host data with a GPU's help. Without a GPU all tests are skipped, with the reason.
//
// What is covered, for each such variant and key type: keys and pairs in both orders, pinned and staged memory, sizes
// that fit the GPU memory that they may take and sizes that do not, between guard zones, in poisoned memory.
// A sort over several GPUs takes all that there are, and one GPU as if it were three.
// Many items are sorted of one type per width: types differ in the map of their keys alone, which few items cover.
// SORTLAB_MATRIX=reduced, for compute-sanitizer, thins out the sizes. tests/on_cpu/offload_test.cpp needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "common/contract/offload.hpp"
#include "common/harness/measure/measure.hpp"
#include "common/harness/plan/plan.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/verify/check.hpp"
#include "tests/effort.hpp"
#include "tests/subjects.hpp"

namespace sortlab {
namespace {

const bool kReduced = kEffort == Effort::reduced;

class Offload : public testing::TestWithParam<Subject> {
 protected:
  void SetUp() override {
    if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
    if (const auto reason = GetParam().variant->unavailable(); !reason.empty()) {
      GTEST_SKIP() << reason;
    }
  }

  bool is_first_of_its_width() const {
    const auto same_width = [&](KeyType type) {
      return bytes_of(type) == bytes_of(GetParam().key_type);
    };
    return GetParam().key_type == *std::ranges::find_if(kKeyTypes, same_width);
  }

  /// Sorts each distribution in each configuration, from both kinds of host memory, and reports the faults. Configurations
  /// with values of one width share their inputs.
  static void expect_sorted(std::size_t n, std::size_t gpu_mem,
                            const std::vector<std::string>& dists) {
    std::map<std::size_t, std::vector<Input>> inputs;  // by the width of values
    for (Config config : configs()) {
      config.n = n;
      config.gpu_mem = gpu_mem;
      std::vector<Input>& of_width = inputs[config.value_bytes];
      if (of_width.empty()) {
        for (const auto& dist : dists) {
          config.dist = parse_distribution(dist);
          of_width.push_back(make_input(config, config.seed));
        }
      }
      for (const HostMem host_mem : {HostMem::pinned, HostMem::staged}) {
        config.host_mem = host_mem;
        const auto rig = make_rig(config, n % 3);
        for (std::size_t i = 0; i < dists.size(); ++i) {
          config.dist = parse_distribution(dists[i]);
          EXPECT_EQ(fault_of_sorting(*rig, of_width[i]), "") << config.benchmark_name();
        }
      }
    }
  }

  static std::vector<Config> configs() {
    std::vector<Config> all = instances_of(GetParam());
    if (kReduced) all = {all.front(), all.back()};
    for (Config& config : all) {
      config.threads = 4;
      config.params = params_of(*GetParam().variant);
    }
    if (!GetParam().variant->is<OffloadToAll>()) return all;
    std::vector<Config> of_each_set;
    for (const Devices& devices : all_devices()) {
      for (Config& config : all) {
        of_each_set.push_back(config);
        of_each_set.back().devices = devices;
      }
    }
    return of_each_set;
  }

 private:
  static std::vector<Devices> all_devices() {
    std::vector<Devices> all = {{0}, {0, 0, 0}};
    const Devices two = {0, 1};
    if (devices_unavailable(two).empty()) all.push_back(two);
    return all;
  }

  /// The smallest pieces, so that there are many.
  static std::string params_of(const Variant& variant) {
    const auto& params = variant.info.params;
    return !params.empty() && params[0].name == "piece_mib" ? "piece_mib=1" : "";
  }
};

TEST_P(Offload, SortsFewItems) {
  for (const std::size_t n : {0, 1, 2, 1000, 100'003, 1'100'003}) {
    expect_sorted(n, 0, {"uniform", "special"});
  }
}

/// 16 MiB of GPU memory: half of the keys alone, a sixth of wide pairs.
TEST_P(Offload, SortsMoreThanTheGpuMayHold) {
  if (!GetParam().variant->info.alternate) GTEST_SKIP() << "sorts what fits";
  if (!is_first_of_its_width()) GTEST_SKIP() << "few items only";
  expect_sorted(kReduced ? 2'200'003 : 5'000'011, std::size_t{16} << 20,
                kReduced ? std::vector<std::string>{"uniform", "equal"}
                         : std::vector<std::string>{"uniform", "zipf", "equal", "sorted",
                                                    "organpipe", "special"});
}

TEST_P(Offload, SortsManyItems) {
  if (kReduced) GTEST_SKIP() << "too slow for a sanitizer";
  if (!is_first_of_its_width()) GTEST_SKIP() << "few items only";
  expect_sorted(12'000'003, 0, {"uniform"});
}

TEST_P(Offload, TooLittleGpuMemoryIsASkippedRowWithTheReason) {
  Config config = configs().front();
  config.host_mem = HostMem::pinned;
  config.n = 20'000'003;
  config.gpu_mem = 4096;
  InputPool inputs;
  const Outcome outcome = measure(config, {}, inputs, [](const Sample&) { FAIL(); });
  EXPECT_EQ(outcome.status, Status::skipped);
  EXPECT_NE(outcome.reason.find("MiB of GPU memory"), std::string::npos) << outcome.reason;
}

INSTANTIATE_TEST_SUITE_P(All, Offload, testing::ValuesIn(subjects_in(Memory::both)),
                         name_of_subject);

}  // namespace
}  // namespace sortlab
