// Sorts over ranks with a GPU each: every variant, type, distribution and odd share. Threads are the ranks. They share
// a GPU, with an exchange through host memory; and over two GPUs, where there are two and NCCL is, they use NCCL.
// Without a GPU all tests are skipped, with the reason. SORTLAB_MATRIX=reduced, for compute-sanitizer, thins them out.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/cuda_check.hpp"
#include "common/harness/ranks/part_measure.hpp"
#include "common/harness/ranks/staged_exchange.hpp"
#include "common/harness/rig/cuda/nvidia_libraries.hpp"
#include "common/harness/rig/device.hpp"
#include "common/harness/verify/check.hpp"
#include "tests/effort.hpp"
#include "tests/subjects.hpp"
#include "tests/thread_parts.hpp"

namespace sortlab {
namespace {

const bool kReduced = kEffort == Effort::reduced;

std::vector<const Variant*> variants_over_ranks() {
  std::vector<const Variant*> found;
  for (const auto& variant : all_variants()) {
    const bool on_gpus = variant.info.memory == Memory::device;
    if (variant.is<RankParts>() && on_gpus) found.push_back(&variant);
  }
  return found;
}

void copy(void* to, const void* from, std::size_t bytes, Stream stream) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
  check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

class OverGpus : public testing::TestWithParam<const Variant*> {
 protected:
  void SetUp() override {
    if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  }

  static Config config(std::size_t n, const std::string& dist = "uniform") {
    Config config;
    config.variant = GetParam()->id;
    config.n = n;
    config.threads = 0;
    config.dist = parse_distribution(dist);
    return config;
  }

  static void expect_sorts(Config config, int parts) {
    config.ranks = parts;
    on_parts(parts, [&](Communicator& part) {
      StagedExchange exchange(part, copy);
      const Outcome outcome = check_parts(Task(config), part, &exchange);
      EXPECT_EQ(outcome.status, Status::ok)
          << config.benchmark_name() << " on " << parts << ": " << outcome.reason;
    });
  }
};

TEST_P(OverGpus, AnyShare) {
  for (const int parts : {1, 2, 3, 4}) {
    for (const std::size_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 31, 257, 5003}) {
      expect_sorts(config(n), parts);
    }
  }
}

TEST_P(OverGpus, AnyDistribution) {
  for (const auto& list : {patterns(), patterns_of_blocks()}) {
    for (const auto& dist : list) {
      Config any = config(kReduced ? 3001 : 70'001, std::string(dist.name));
      expect_sorts(any, 2);
      any.value_bytes = sizeof(std::uint32_t);
      any.order = Order::descending;
      expect_sorts(any, 3);
    }
  }
}

TEST_P(OverGpus, AnyType) {
  for (const auto& instance : GetParam()->instances) {
    Config any = config(20'011, is_floating(instance.key_type) ? "special" : "d20");
    any.key_type = instance.key_type;
    any.value_bytes = instance.value_bytes;
    any.order = instance.order;
    for (const int parts : {1, 3}) expect_sorts(any, parts);
  }
}

TEST_P(OverGpus, MoreItemsThanTheSample) {
  if (kReduced) GTEST_SKIP() << "too slow for a sanitizer";
  for (const char* const dist : {"uniform", "zipf", "equal", "sorted"}) {
    Config large = config(1'000'017, dist);
    expect_sorts(large, 3);
    large.key_type = KeyType::i32;
    large.order = Order::descending;
    expect_sorts(large, 2);
    large.order = Order::ascending;
    large.value_bytes = sizeof(std::uint32_t);
    large.key_type = KeyType::f64;
    expect_sorts(large, 2);
  }
}

/// gpu/ranks/partition exchanges so many keys alone by bins. For a sanitizer there are hardly more than that takes.
TEST_P(OverGpus, KeysAloneByBins) {
  for (const auto& [dist, type] : {std::pair{"uniform", KeyType::u32},
                                   {"exponential", KeyType::f32},
                                   {"p5", KeyType::u32},
                                   {"dups16", KeyType::u32},
                                   {"equal", KeyType::u32},
                                   {"uniform", KeyType::i64},
                                   {"zipf", KeyType::u64},
                                   {"alltoone:3", KeyType::u32}}) {
    Config any = config(2'100'011, dist);
    any.key_type = type;
    any.order = type == KeyType::u32 ? Order::ascending : Order::descending;
    if (!GetParam()->info.params.empty()) any.params = "pieces=2";
    expect_sorts(any, 3);
    if (kReduced) return;
    expect_sorts(any, 2);
    expect_sorts(any, 8);
  }
}

TEST_P(OverGpus, AnyNumberOfPieces) {
  if (GetParam()->info.params.empty()) GTEST_SKIP() << "has no pieces";
  for (const char* const way : {"pieces=1", "pieces=2", "pieces=7", "pieces=64"}) {
    Config cut = config(kReduced ? 3001 : 500'003, "zipf");
    cut.params = way;
    cut.value_bytes = sizeof(std::uint32_t);
    expect_sorts(cut, 3);
  }
}

TEST_P(OverGpus, AreMeasured) {
  Config two = config(100'003);
  two.ranks = 2;
  std::vector<Sample> samples;
  on_parts(2, [&](Communicator& part) {
    StopSettings stop;
    stop.min_samples = stop.max_samples = 2;
    StagedExchange exchange(part, copy);
    const Outcome outcome = measure_parts(
        Task(two), part, stop, [&](const Sample& sample) { samples.push_back(sample); }, &exchange);
    EXPECT_EQ(outcome.status, Status::ok) << outcome.reason;
  });
  ASSERT_EQ(samples.size(), 2U);
  for (const Sample& sample : samples) {
    EXPECT_GT(sample.kernel_ns.value_or(0), 0);
    EXPECT_GE(sample.total_ns, *sample.kernel_ns);
    EXPECT_GT(sample.exchange_ns.value_or(0), 0);
    EXPECT_GT(sample.exchange_bytes.value_or(0), 100'000);
    EXPECT_LE(sample.imbalance.value_or(9), 1.05);
  }
}

TEST_P(OverGpus, SortOverNccl) {
  int gpus = 0;
  check(cudaGetDeviceCount(&gpus), "cudaGetDeviceCount");
  if (gpus < 2) GTEST_SKIP() << "there is one GPU";
  if (const std::string missing = device::nccl_missing(); !missing.empty()) GTEST_SKIP() << missing;
  on_parts(2, [&](Communicator& part) {
    const OnDevice here(part.part());
    const auto exchange = device::make_nccl_exchange(part);
    for (const std::size_t n : {0, 1, 3, 5003, 3'000'017}) {
      for (const char* const dist : {"uniform", "equal", "alltoone:2"}) {
        for (const std::size_t value_bytes : {0, 4}) {
          Config two = config(n, dist);
          two.ranks = 2;
          two.value_bytes = value_bytes;
          const Outcome outcome = check_parts(Task(two), part, exchange.get());
          EXPECT_EQ(outcome.status, Status::ok) << two.benchmark_name() << ": " << outcome.reason;
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, OverGpus, testing::ValuesIn(variants_over_ranks()), name_of_variant);

}  // namespace
}  // namespace sortlab
