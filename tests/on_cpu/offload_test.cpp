// Sorts of host data with a GPU's help, without a GPU: the plan, the cuts, and all of them but the kernels and the
// link (stand_in/cuda_runtime_api.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "common/harness/input/distributions.hpp"
#include "gpu/host/hybrid/shares.hpp"
#include "gpu/host/hybrid/sort.cuh"
#include "gpu/host/narrow/planes.hpp"
#include "gpu/primitives/offload/sort.cuh"
#include "tests/effort.hpp"

namespace sortlab {
namespace {

using gpu::offload::PiecePlan;

/// A device sort: std::stable_sort, on the stream. Leaves every other result in the alternate buffer.
struct StandIn {
  static std::size_t workspace_bytes(const WorkspaceRequest& request) { return request.n / 16; }

  template <class Items>
  static ResultIn sort(KeyKind kind, const Items& data, const Items& alternate, std::size_t n,
                       std::span<std::byte>, Stream stream) {
    int current = 0;
    cudaGetDevice(&current);
    EXPECT_EQ(current, stream->device) << "a kernel on a stream of another GPU";
    using Bits = typename Items::Key;
    const bool in_data = n % 2 == 0;
    stream->enqueue(
        [n, from = data, to = in_data ? data : alternate, map = gpu::key_map_of<Bits>(kind)] {
          std::vector<Item<Bits, typename Items::Value>> items;
          for (std::size_t i = 0; i < n; ++i) items.push_back(from[i]);
          std::stable_sort(items.begin(), items.end(), [&](const auto& a, const auto& b) {
            return map.ordered(a.key) < map.ordered(b.key);
          });
          for (std::size_t i = 0; i < n; ++i) to.put(i, items[i]);
        });
    return in_data ? ResultIn::data : ResultIn::alternate;
  }
};

using Planned = gpu::offload::Planned<StandIn>;

constexpr const char* kDists[] = {"uniform", "equal", "zipf", "sorted", "reverse", "organpipe"};

const Params kNoParams;

OffloadRequest request_of(std::size_t n, std::size_t key_bytes, std::size_t value_bytes,
                          std::size_t budget, bool pinned = true, int gpus = 1) {
  return {n, key_bytes, value_bytes, 3, kNoParams, pinned, budget, gpus};
}

TEST(PiecePlan, HoldsEachItemOnce) {
  for (const std::size_t n : {0, 1, 2, 7, 1000, 1023, 1024, 100'003}) {
    for (const std::size_t pieces : {1, 2, 3, 7, 1024}) {
      const PiecePlan plan{n, pieces};
      EXPECT_EQ(plan.begin(0), 0u);
      EXPECT_EQ(plan.begin(pieces), n);
      std::size_t most = 0;
      for (std::size_t i = 0; i < pieces; ++i) {
        EXPECT_LE(plan.begin(i), plan.begin(i + 1));
        EXPECT_GE(plan.size(i) + 1, plan.most());
        most = std::max(most, plan.size(i));
      }
      EXPECT_EQ(most, plan.most());
    }
  }
}

TEST(PiecePlan, TakesNoMoreDeviceMemoryThanAllowed) {
  for (const std::size_t budget_mib : {64, 1024, 8192}) {
    const std::size_t budget = budget_mib << 20;
    for (const std::size_t n : {std::size_t{1} << 24, std::size_t{1} << 28, std::size_t{1} << 31}) {
      const Planned planned = Planned::of(request_of(n, 4, 0, budget), 1, std::size_t{512} << 20);
      EXPECT_LE(planned.needs.device_bytes, budget);
      EXPECT_EQ(planned.plan.pieces == 1, n * 8 + n / 16 <= budget) << n << ' ' << budget_mib;
      // The sort is given what it asked for, and makes the same plan of it.
      const Planned again =
          Planned::of(request_of(n, 4, 0, planned.needs.device_bytes), 1, std::size_t{512} << 20);
      EXPECT_EQ(again.plan.pieces, planned.plan.pieces);
    }
  }
}

TEST(PiecePlan, SaysWhyItDoesNotFit) {
  try {
    Planned::of(request_of(std::size_t{1} << 33, 4, 0, std::size_t{64} << 20), 1,
                std::size_t{512} << 20);
    FAIL();
  } catch (const BadInput& error) {
    const std::string line = error.what();
    EXPECT_NE(line.find("MiB of GPU memory"), std::string::npos) << line;
    EXPECT_NE(line.find("may take 64"), std::string::npos) << line;
  }
}

template <class Key, Order kOrder>
void expect_exact_cuts(const char* dist, const PiecePlan& plan) {
  std::vector<Key> keys(plan.n);
  generate(std::span(keys), parse_distribution(dist), 1);
  const auto less = KeyLess<Key, kOrder>();
  for (std::size_t run = 0; run < plan.pieces; ++run) {
    std::sort(keys.begin() + static_cast<std::ptrdiff_t>(plan.begin(run)),
              keys.begin() + static_cast<std::ptrdiff_t>(plan.begin(run + 1)), less);
  }
  std::vector<std::size_t> cuts(plan.pieces);
  for (const std::size_t rank : {std::size_t{0}, plan.n / 3, plan.n / 2, plan.n - 1, plan.n}) {
    gpu::offload::cut_runs(reinterpret_cast<const BitsOf<Key>*>(keys.data()),
                           gpu::key_map_of<Key, kOrder>(), plan, rank, cuts);
    std::size_t sum = 0;
    std::vector<Key> left, right;
    for (std::size_t run = 0; run < plan.pieces; ++run) {
      ASSERT_LE(cuts[run], plan.size(run));
      sum += cuts[run];
      const std::size_t at = plan.begin(run) + cuts[run];
      if (cuts[run] > 0) left.push_back(keys[at - 1]);
      if (at < plan.begin(run + 1)) right.push_back(keys[at]);
    }
    EXPECT_EQ(sum, rank) << dist;
    for (const Key before : left) {
      for (const Key behind : right) EXPECT_FALSE(less(behind, before)) << dist << ' ' << rank;
    }
  }
}

TEST(Cuts, AreExactForEveryKindOfKeys) {
  for (const char* const dist : kDists) {
    for (const std::size_t pieces : {1, 2, 5, 64}) {
      const PiecePlan plan{1003, pieces};
      expect_exact_cuts<std::uint32_t, Order::ascending>(dist, plan);
      expect_exact_cuts<std::int64_t, Order::descending>(dist, plan);
      expect_exact_cuts<double, Order::ascending>(dist, plan);
    }
  }
}

/// A sort of the CPU's share, without memory of its own.
template <class Key, Order kOrder>
struct CpuStandIn {
  template <class Job>
  CpuStandIn(const Job&, std::size_t, int, std::span<std::byte>) {}
  static std::size_t workspace_bytes(std::size_t, int) { return 0; }

  template <class Piece>
  void sort(const Piece& piece) const {
    using Items = decltype(piece.to);
    std::vector<Item<typename Items::Key, typename Items::Value>> items;
    for (const auto& run : piece.from) {
      for (std::size_t i = 0; i < run.n; ++i) items.push_back(run.items[i]);
    }
    std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) {
      return KeyLess<Key, kOrder>()(std::bit_cast<Key>(a.key), std::bit_cast<Key>(b.key));
    });
    for (std::size_t i = 0; i < piece.n; ++i) piece.to.put(i, items[i]);
  }
};

/// What a rig has of one GPU, which must be the current one when it is made.
struct GpuMemory {
  explicit GpuMemory(const OffloadNeeds& needs)
      : device(needs.device_bytes), pinned(needs.pinned_bytes) {}

  std::vector<std::byte> device, pinned;
  CUstream_st in, work, out;
};

enum class Who { gpu, gpu_and_cpu, three_gpus };

/// Sorts with a tiny amount of device memory, and compares with std::stable_sort.
template <class Key, class Value, Order kOrder>
void expect_sorted(Who who, const char* dist, std::size_t n, std::size_t budget, bool pinned) {
  constexpr bool kPairs = !std::is_same_v<Value, NoValue>;
  SCOPED_TRACE(testing::Message() << dist << ' ' << n << " items, " << budget << " bytes");
  std::vector<Key> keys(n), other_keys(n), expected(n);
  std::vector<std::uint32_t> values(n), other_values(n);
  generate(std::span(keys), parse_distribution(dist), 7);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(i);
  expected = keys;
  std::stable_sort(expected.begin(), expected.end(), KeyLess<Key, kOrder>());
  const std::vector<Key> before = keys;

  const int number_of_gpus = who == Who::three_gpus ? 3 : 1;
  const OffloadRequest request = request_of(n, sizeof(Key), kPairs ? sizeof(std::uint32_t) : 0,
                                            budget, pinned, number_of_gpus);
  const Planned planned = Planned::of(request, 1, budget);
  std::vector<std::byte> workspace(planned.needs.workspace_bytes);
  std::deque<GpuMemory> memories;
  std::vector<OffloadGpu> gpus;
  for (int i = 0; i < number_of_gpus; ++i) {
    const OnDevice here(i);
    GpuMemory& m = memories.emplace_back(planned.needs);
    gpus.push_back({i, m.device, m.pinned, {&m.in, &m.work, &m.out}});
  }
  using Items = sortlab::Items<Key, Value>;
  const auto items = [](auto& some_keys, auto& some_values) {
    return Items{some_keys.data(), kPairs ? reinterpret_cast<Value*>(some_values.data()) : nullptr};
  };
  const auto job =
      gpu::offload::with_bits(OffloadJob<Key, Value, kOrder>{{items(keys, values),
                                                              items(other_keys, other_values),
                                                              n,
                                                              workspace,
                                                              3,
                                                              {},
                                                              nullptr,
                                                              kNoParams},
                                                             gpus,
                                                             pinned});
  const ResultIn landed =
      who == Who::gpu_and_cpu
          ? gpu::hybrid::sort<StandIn, CpuStandIn<Key, kOrder>>(job, planned.plan)
          : gpu::offload::sort_in_pieces<StandIn>(job, planned.plan);
  const auto& result = landed == ResultIn::data ? keys : other_keys;
  const auto& result_values = landed == ResultIn::data ? values : other_values;
  const auto bits = [](Key key) { return to_ordered_bits(key); };
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(bits(result[i]), bits(expected[i])) << i;
  if (!kPairs) return;
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(bits(before[result_values[i]]), bits(result[i])) << i;
    const bool equal = i > 0 && bits(result[i - 1]) == bits(result[i]);
    ASSERT_TRUE(!equal || result_values[i - 1] < result_values[i]) << i;
  }
}

TEST(Pieces, SortLikeStableSort) {
  std::vector<const char*> dists = {"uniform", "equal"};
  std::vector<std::size_t> sizes = {0, 1, 777, 20'011};
  if (kEffort == Effort::full) {
    dists.insert(dists.end(), {"zipf", "organpipe"});
    sizes.insert(sizes.end(), {10'000, 50'021});
  }
  for (const char* const dist : dists) {
    for (const std::size_t n : sizes) {
      for (const std::size_t budget : {40'000, 400'000}) {
        for (const bool pinned : {true, false}) {
          for (const Who who : {Who::gpu, Who::gpu_and_cpu, Who::three_gpus}) {
            expect_sorted<std::uint32_t, NoValue, Order::ascending>(who, dist, n, budget, pinned);
            expect_sorted<float, std::uint32_t, Order::descending>(who, dist, n, budget, pinned);
            expect_sorted<std::int64_t, std::uint32_t, Order::ascending>(who, dist, n, budget,
                                                                         pinned);
          }
        }
      }
    }
  }
}

/// More bytes than one slice of a staging buffer.
TEST(Pieces, StageLongStretches) {
  for (const bool pinned : {true, false}) {
    for (const std::size_t budget : {20'000'000, 80'000'000}) {
      if (pinned == (budget > 20'000'000) && kEffort != Effort::full) continue;
      for (const Who who : {Who::gpu, Who::three_gpus}) {
        expect_sorted<std::uint64_t, NoValue, Order::ascending>(who, "uniform", 1'000'001, budget,
                                                                pinned);
      }
    }
  }
}

/// The plan has enough pieces for all, whatever the order in which GPUs come: each of them takes some.
TEST(Pieces, GoToAllGpus) {
  struct FakePipeline {
    std::size_t taken = 0;
    void run(const std::function<std::optional<std::size_t>()>& take) {
      while (take()) {
        ++taken;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  };
  std::deque<FakePipeline> pipelines(3);
  gpu::offload::run_pass(pipelines, 60, [](std::size_t i) { return i; });
  std::size_t all = 0;
  for (const FakePipeline& pipeline : pipelines) {
    EXPECT_GT(pipeline.taken, 5u);
    all += pipeline.taken;
  }
  EXPECT_EQ(all, 60u);
}

TEST(Pieces, AFailureOfOneGpuEndsTheSort) {
  struct FakePipeline {
    int number;
    void run(const std::function<std::optional<std::size_t>()>& take) const {
      while (take()) {
      }
      if (number == 2) throw std::runtime_error("out of order");
    }
  };
  std::deque<FakePipeline> pipelines = {{0}, {1}, {2}};
  EXPECT_THROW(gpu::offload::run_pass(pipelines, 10, [](std::size_t i) { return i; }),
               std::runtime_error);
}

template <class Key, Order kOrder>
void expect_widened(const char* dist, std::size_t n) {
  namespace narrow = gpu::narrow;
  using Bits = BitsOf<Key>;
  using Planes = narrow::Planes<Bits>;
  SCOPED_TRACE(testing::Message() << dist << ' ' << n);
  std::vector<Key> sorted(n);
  generate(std::span(sorted), parse_distribution(dist), 7);
  std::sort(sorted.begin(), sorted.end(), KeyLess<Key, kOrder>());
  std::vector<std::uint64_t> begins(narrow::kDigits + 1);
  for (const Key key : sorted) {
    ++begins[static_cast<std::size_t>(to_radix_bits<Key, kOrder>(key) >> Planes::kShift) + 1];
  }
  for (std::size_t d = 0; d < narrow::kDigits; ++d) begins[d + 1] += begins[d];
  for (const std::size_t misalign : {0, 1, 3}) {
    std::vector<Key> result(n + misalign + 1);
    for (std::size_t first = 0; first < n; first += 1001) {
      const std::size_t count = std::min<std::size_t>(1001, n - first);
      std::vector<std::uint32_t> memory(2 * count + 1);
      const Planes planes = Planes::in(reinterpret_cast<std::byte*>(memory.data()), count);
      for (std::size_t i = 0; i < count; ++i) {
        planes.put(i, to_radix_bits<Key, kOrder>(sorted[first + i]));
      }
      narrow::widen(reinterpret_cast<Bits*>(result.data() + misalign + first), planes,
                    gpu::key_map_of<Key, kOrder>(), begins.data(), first, count);
    }
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(to_ordered_bits(result[misalign + i]), to_ordered_bits(sorted[i])) << i;
    }
  }
}

TEST(Narrow, PutsTheDigitsBack) {
  for (const char* const dist : kDists) {
    for (const std::size_t n : {1, 15, 1000, 30'011}) {
      expect_widened<std::uint32_t, Order::ascending>(dist, n);
      expect_widened<std::int32_t, Order::descending>(dist, n);
      expect_widened<float, Order::ascending>(dist, n);
      expect_widened<std::uint64_t, Order::descending>(dist, n);
      expect_widened<std::int64_t, Order::ascending>(dist, n);
      expect_widened<double, Order::descending>(dist, n);
    }
  }
}

/// A clock that the test turns.
double time_now = 0;

/// The time until a GPU and a CPU with these times per piece have sorted all of them; whether each was taken once.
double time_of_pass(std::size_t pieces, double gpu, double cpu, gpu::hybrid::Rates rates) {
  gpu::hybrid::Shares shares(pieces, rates, [] { return time_now; });
  std::vector<int> taken(pieces);
  double gpu_free = 0, cpu_free = 0, end = 0;
  bool gpu_works = true, cpu_works = true;
  while (gpu_works || cpu_works) {
    const bool is_gpus_turn = gpu_works && (!cpu_works || gpu_free <= cpu_free);
    time_now = is_gpus_turn ? gpu_free : cpu_free;
    const auto piece = is_gpus_turn ? shares.for_gpu() : shares.for_cpu();
    (is_gpus_turn ? gpu_works : cpu_works) = piece.has_value();
    if (!piece) continue;
    ++taken[*piece];
    double& free = is_gpus_turn ? gpu_free : cpu_free;
    free += is_gpus_turn ? gpu : cpu;
    end = std::max(end, free + (is_gpus_turn ? 2 * gpu : 0));
  }
  EXPECT_EQ(taken, std::vector<int>(pieces, 1));
  return end;
}

TEST(Shares, AreNoSlowerThanTheGpuAloneAndNearTheBest) {
  for (const std::size_t pieces : {2, 8, 32, 128}) {
    for (const double cpu : {1.0, 2.0, 5.0, 20.0}) {
      const double alone = static_cast<double>(pieces + 2);
      const double known = time_of_pass(pieces, 1, cpu, {1, cpu});
      const double best = alone * cpu / (1 + cpu);
      EXPECT_LE(known, alone) << pieces << ' ' << cpu;
      EXPECT_LE(known, best + std::min(cpu, 2.0) + 1) << pieces << ' ' << cpu;
      // A first guess may be wrong once.
      EXPECT_LE(time_of_pass(pieces, 1, cpu, {}), std::max(alone, cpu)) << pieces << ' ' << cpu;
    }
  }
}

}  // namespace
}  // namespace sortlab
