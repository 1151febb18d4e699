// Sorts whose blocks wait for each other or share counters, thousands of times over small inputs,
// with tiny tiles and blocks that come late everywhere (tests/delays). What no race checker sees,
// since it happens in global memory, shows here as a wrong result: each is checked, on the device.
//
//   repetition    make keys | sort, in a workspace full of what the last sort left | check
//
// A sort that waits for ever ends in a trap. SORTLAB_MATRIX=reduced for compute-sanitizer.
#include "tests/delays/delay.cuh"
// The kernels, with delays:
#include <gtest/gtest.h>

#include "common/harness/rig/device.hpp"
#include "gpu/primitives/grid/barrier.cuh"
#include "gpu/primitives/launch/team.cuh"
#include "gpu/primitives/launch/workspace.cuh"
#include "gpu/radix/msd_hybrid/sort.cuh"
#include "gpu/radix/small/sort.cuh"
#include "tests/effort.hpp"
// What keys are left to, with delays, too.
#define SORTLAB_UNIT_KEY std::uint32_t
#define SORTLAB_UNIT_VALUE NoValue
#include "gpu/primitives/grid/spread/weigh.cu"
#include "gpu/primitives/grid/sweep/sweeps.cu"

namespace sortlab {
namespace {

static_assert(delays::kWatchedWordsAreLate, "tests/delays must be the first folder to look in");

using Key = std::uint32_t;

const unsigned kRepetitions = kEffort == Effort::reduced ? 20 : 10'000;

// ---- Inputs that need no memory: key i of a repetition ----

/// By turns: any keys; few distinct ones; mostly one value; sorted ones; close ones, which are uneven; reversed ones, all in
/// one bin of a digit.
SORTLAB_HD Key key_at(unsigned repetition, unsigned i) {
  const auto mix = [](unsigned x) {
    x = (x ^ x >> 15) * 0x2c1b3c6du;
    x = (x ^ x >> 12) * 0x297a2d39u;
    return x ^ x >> 15;
  };
  const unsigned any = mix(repetition * 0x9e3779b9u + i);
  switch (repetition % 6) {
    case 0:
      return any;
    case 1:
      return any % 5 * 0x01010101u;
    case 2:
      // The others differ in three digits, or in all.
      return any % 16 == 0 ? mix(any) | (repetition % 12 < 6 ? 0xff000000u : 0u) : 0xff345678u;
    case 3:
      return i * 77;
    case 4:
      return 0x3e800000u + any / 256;
    default:
      return 0x7f000000u - i;
  }
}

__global__ void make_keys(unsigned repetition, Key* keys, std::uint32_t* values, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0) delays::begin_repetition(repetition);
  if (i >= n) return;
  keys[i] = key_at(repetition, i);
  values[i] = i;
}

struct Faults {
  unsigned count;
  unsigned first_repetition;
};

constexpr unsigned kCheckThreads = 1024;
constexpr unsigned kLeastN = 100;

/// Keys in order, and the same ones: the sum of their hashes says so.
__global__ void __launch_bounds__(kCheckThreads)
    check_keys(unsigned repetition, const Key* keys, unsigned n, Faults* faults) {
  __shared__ unsigned long long s_difference;
  if (threadIdx.x == 0) s_difference = 0;
  __syncthreads();
  const auto hash = [](Key key) { return (key + 1) * 0x9e3779b97f4a7c15ull >> 7; };
  bool in_order = true;
  unsigned long long difference = 0;
  for (unsigned i = threadIdx.x; i < n; i += kCheckThreads) {
    in_order = in_order && (i == 0 || keys[i - 1] <= keys[i]);
    difference += hash(keys[i]) - hash(key_at(repetition, i));
  }
  ::atomicAdd(&s_difference, difference);
  const bool out_of_order = __syncthreads_or(!in_order);
  if (threadIdx.x == 0 && (out_of_order || s_difference != 0)) {
    if (::atomicAdd(&faults->count, 1u) == 0) faults->first_repetition = repetition;
  }
}

/// Values are the places in the input, so pairs in strict order that belong together are all of
/// them, and equal keys have stayed in order.
__global__ void __launch_bounds__(kCheckThreads)
    check_pairs(unsigned repetition, const Key* keys, const std::uint32_t* values, unsigned n,
                Faults* faults) {
  bool is_right = true;
  for (unsigned i = threadIdx.x; i < n; i += kCheckThreads) {
    const bool belong = values[i] < n && keys[i] == key_at(repetition, values[i]);
    const bool in_order =
        i == 0 || keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && values[i - 1] < values[i]);
    is_right = is_right && belong && in_order;
  }
  if (__syncthreads_or(!is_right) && threadIdx.x == 0) {
    if (::atomicAdd(&faults->count, 1u) == 0) faults->first_repetition = repetition;
  }
}

// ---- Repetitions ----

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) {
    check(cudaMalloc(&d_items_, count * sizeof(T) + 1), "cudaMalloc");
    check(cudaMemset(d_items_, 0xa5, count * sizeof(T)), "cudaMemset");
  }
  ~DeviceArray() { (void)cudaFree(d_items_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* get() const { return d_items_; }

 private:
  T* d_items_ = nullptr;
};

template <class Value>
struct Arrays {
  Items<Key, Value> data;
  Items<Key, Value> alternate;
  std::byte* workspace;
};

/// Calls sort(arrays, n) for all repetitions, with n up to most_n, and counts the wrong results.
template <class Value, class Sort>
Faults repeat(unsigned most_n, std::size_t workspace_bytes, Sort sort) {
  constexpr bool kPairs = Items<Key, Value>::kPairs;
  const DeviceArray<Key> keys(most_n), alternate_keys(most_n);
  const DeviceArray<std::uint32_t> values(most_n), alternate_values(most_n);
  const DeviceArray<std::byte> workspace(workspace_bytes);
  const DeviceArray<Faults> d_faults(1);
  check(cudaMemset(d_faults.get(), 0, sizeof(Faults)), "cudaMemset");
  Arrays<Value> arrays{{keys.get()}, {alternate_keys.get()}, workspace.get()};
  if constexpr (kPairs) {
    arrays.data.values = values.get();
    arrays.alternate.values = alternate_values.get();
  }
  for (unsigned repetition = 0; repetition < kRepetitions; ++repetition) {
    const unsigned n =
        repetition % 8 == 0 ? most_n : most_n - repetition * 7919u % (most_n - kLeastN);
    gpu::launch("make_keys", make_keys, {ceil_div(n, 256), 256}, nullptr, repetition, keys.get(),
                values.get(), n);
    sort(arrays, n);
    if constexpr (kPairs) {
      gpu::launch("check_pairs", check_pairs, {1, kCheckThreads}, nullptr, repetition, keys.get(),
                  values.get(), n, d_faults.get());
    } else {
      gpu::launch("check_keys", check_keys, {1, kCheckThreads}, nullptr, repetition, keys.get(), n,
                  d_faults.get());
    }
  }
  Faults faults{};
  check(cudaMemcpy(&faults, d_faults.get(), sizeof(Faults), cudaMemcpyDeviceToHost), "cudaMemcpy");
  return faults;
}

class DeviceStress : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto& reason = device_unavailable(); !reason.empty()) GTEST_SKIP() << reason;
  }
  static void expect_none(Faults faults) {
    EXPECT_EQ(faults.count, 0u) << "the first in repetition " << faults.first_repetition;
  }
};

// ---- The sorts ----

/// Tiles of an item a thread, in portions of a few tiles, so that words are used again and again.
template <class Value>
Faults repeat_onesweep() {
  using Policy = gpu::sweep::TilePolicy<gpu::sweep::ByAtomics, 256, 1, 2>;
  constexpr unsigned kMostN = 31 * Policy::kTile + 17;
  constexpr std::size_t kTilesAPortion = 11;
  const auto portions = [](std::size_t n) {
    return gpu::sweep::Portions(n, sizeof(Key), Policy::kTile, kTilesAPortion);
  };
  const gpu::sweep::OnesweepSpace<gpu::sweep::kPasses<Key>> space(nullptr, portions(kMostN));
  return repeat<Value>(kMostN, space.bytes, [&](Arrays<Value> arrays, unsigned n) {
    const auto cut = portions(n);
    const gpu::sweep::OnesweepSpace<gpu::sweep::kPasses<Key>> own_space(arrays.workspace, cut);
    gpu::sweep::sort_in_sweeps<Policy>(
        gpu::sweep::Arrays<Key, Value>{arrays.data, arrays.data, arrays.alternate, {}}, n,
        own_space, cut, nullptr);
  });
}

TEST_F(DeviceStress, OnesweepOfKeys) { expect_none(repeat_onesweep<NoValue>()); }
TEST_F(DeviceStress, OnesweepOfPairs) { expect_none(repeat_onesweep<std::uint32_t>()); }

template <class Tuning>
Faults repeat_msd() {
  constexpr unsigned kMostN = 80'011;
  return repeat<NoValue>(kMostN, gpu::radix::msd_hybrid::bytes_of<Tuning>(kMostN),
                         [](Arrays<NoValue> arrays, unsigned n) {
                           const gpu::msd::Buffers<Key> buffers{
                               arrays.data.keys, arrays.alternate.keys, {}, arrays.data.keys};
                           gpu::radix::msd_hybrid::sort_on<Tuning>(nullptr, arrays.workspace,
                                                                   buffers, n);
                         });
}

/// Leaves of a thousand keys and digits of five bits, so that a few thousand keys have a level.
TEST_F(DeviceStress, MsdHybrid) {
  expect_none(
      repeat_msd<gpu::radix::msd_hybrid::Tuning<gpu::msd::ScatterShared<Key, 64, 8, 32>, 1,
                                                gpu::msd::LeafBlock<Key, 512, 2, 10, 1>>>());
}

/// Leaves of 2048 keys by slots, and slots that are often too few for a tile. Two digits are counted
/// together, and keys that are not spread evenly are left to the sweeps.
TEST_F(DeviceStress, MsdHybridBySlots) {
  using Leaf = gpu::msd::LeafBlock<Key, 512, 4, 11, 1, 2>;
  expect_none(
      repeat_msd<
          gpu::radix::msd_hybrid::Tuning<gpu::msd::ScatterShared<Key, 64, 8, 32, 27>, 1, Leaf>>());
}

/// Keys that are spread as floats are, where they are close together; the others are left to the sweeps.
TEST_F(DeviceStress, MsdHybridOfSpreadKeys) {
  using Leaf = gpu::msd::LeafBlock<Key, 512, 4, 11, 1, 2>;
  expect_none(repeat_msd<gpu::radix::msd_hybrid::Tuning<gpu::msd::ScatterShared<Key, 64, 8, 32, 27>,
                                                        1, Leaf, true, 50>>());
}

/// Bins that are more than the block's threads.
TEST_F(DeviceStress, MsdHybridOfManyBins) {
  using Leaf = gpu::msd::LeafBlock<Key, 512, 4, 11, 1, 2>;
  expect_none(
      repeat_msd<
          gpu::radix::msd_hybrid::Tuning<gpu::msd::ScatterShared<Key, 64, 16, 512>, 1, Leaf>>());
}

/// What gpu/radix/small does with small blocks: launch(job, d_words) sorts, pairs end in the
/// second buffer.
template <class Value, class Launch>
Faults repeat_small(unsigned most_n, Launch launch) {
  gpu::Layout layout;
  layout.take<gpu::radix::small::TeamWords>(1);
  layout.take<std::uint32_t>(most_n);
  return repeat<Value>(most_n, layout.bytes(), [&](Arrays<Value> arrays, unsigned n) {
    gpu::Layout own_layout(arrays.workspace);
    auto* const d_words = own_layout.take<gpu::radix::small::TeamWords>(1);
    auto* const d_spare_places = own_layout.take<Value>(n);
    launch(gpu::radix::small::TeamJob<Key, Value>{arrays.data,
                                                  arrays.alternate,
                                                  {arrays.data.keys, d_spare_places},
                                                  Items<Key, Value>::kPairs ? arrays.alternate
                                                                            : arrays.data,
                                                  n,
                                                  {}},
           d_words);
    if constexpr (Items<Key, Value>::kPairs) {
      const auto copy_back = [n](auto* to, const auto* from) {
        check(cudaMemcpyAsync(to, from, n * sizeof(*to), cudaMemcpyDeviceToDevice, nullptr),
              "cudaMemcpyAsync");
      };
      copy_back(arrays.data.keys, arrays.alternate.keys);
      copy_back(arrays.data.values, arrays.alternate.values);
    }
  });
}

template <class Value, class Team>
Faults repeat_small_in_a_grid() {
  using Shape = gpu::radix::small::TeamShape<Key, Value, 256, 1, 3, 1>;
  constexpr unsigned kBlocks = 40;
  constexpr unsigned kSamples = kLeastN / 2 / Shape::kSampleRun * Shape::kSampleRun;
  const gpu::Grid grid{kBlocks, Shape::kThreads, sizeof(typename Shape::Shared)};
  return repeat_small<Value>(
      kBlocks * Shape::kChunk,
      [&](gpu::radix::small::TeamJob<Key, Value> job, gpu::radix::small::TeamWords* d_words) {
        gpu::launch_team(
            "sort_by_team", gpu::TeamKind::grid,
            gpu::radix::small::sort_by_team<Team, Shape, gpu::radix::small::TeamJob<Key, Value>>,
            grid, nullptr, job, d_words, std::min(job.n, kSamples));
      });
}

/// The passes, whatever the keys.
template <class Team, class Shape, class Job>
__global__ void __launch_bounds__(Shape::kThreads, 1)
    sort_by_all_passes(__grid_constant__ const Job job, gpu::radix::small::TeamWords* d_words) {
  const Team team;
  gpu::radix::small::sort_by_passes<Shape>(job, team, d_words);
}

template <class Value, class Team>
Faults repeat_passes() {
  using Shape = gpu::radix::small::TeamShape<Key, Value, 256, 2, 4, 1>;
  using Job = gpu::radix::small::TeamJob<Key, Value>;
  constexpr unsigned kBlocks = 40;
  const gpu::Grid grid{kBlocks, Shape::kThreads, sizeof(typename Shape::Shared)};
  return repeat_small<Value>(
      kBlocks * Shape::kChunk, [&](Job job, gpu::radix::small::TeamWords* d_words) {
        gpu::launch_team("sort_by_all_passes", gpu::TeamKind::grid,
                         sort_by_all_passes<Team, Shape, Job>, grid, nullptr, job, d_words);
      });
}

template <class Value, class Team>
Faults repeat_small_in_a_cluster() {
  using Shape = gpu::radix::small::ClusterShape<Key, Value, 64, 4, 6, 32>;
  constexpr unsigned kBlocks = 8;
  const gpu::Grid grid{kBlocks, Shape::kThreads, sizeof(typename Shape::Shared)};
  return repeat_small<Value>(
      kBlocks * Shape::kChunk,
      [&](gpu::radix::small::TeamJob<Key, Value> job, gpu::radix::small::TeamWords*) {
        gpu::launch_team(
            "sort_by_cluster", gpu::TeamKind::cluster,
            gpu::radix::small::sort_by_cluster<Team, Shape, gpu::radix::small::TeamJob<Key, Value>>,
            grid, nullptr, job);
      });
}

using LateGrid = delays::Dawdling<gpu::GridTeam>;
using LateCluster = delays::Dawdling<gpu::radix::small::ClusterTeam>;

TEST_F(DeviceStress, SmallInAGrid) { expect_none(repeat_small_in_a_grid<NoValue, LateGrid>()); }
TEST_F(DeviceStress, SmallPairsInAGrid) {
  expect_none(repeat_small_in_a_grid<std::uint32_t, LateGrid>());
}
TEST_F(DeviceStress, SmallByPasses) { expect_none(repeat_passes<NoValue, LateGrid>()); }
TEST_F(DeviceStress, SmallPairsByPasses) { expect_none(repeat_passes<std::uint32_t, LateGrid>()); }
TEST_F(DeviceStress, SmallInACluster) {
  expect_none(repeat_small_in_a_cluster<NoValue, LateCluster>());
}
TEST_F(DeviceStress, SmallPairsInACluster) {
  expect_none(repeat_small_in_a_cluster<std::uint32_t, LateCluster>());
}

TEST_F(DeviceStress, FindsATeamThatDoesNotWait) {
  EXPECT_GT((repeat_small_in_a_grid<NoValue, delays::Impatient<gpu::GridTeam>>().count), 0u);
  EXPECT_GT((repeat_passes<NoValue, delays::Impatient<gpu::GridTeam>>().count), 0u);
}

}  // namespace
}  // namespace sortlab
