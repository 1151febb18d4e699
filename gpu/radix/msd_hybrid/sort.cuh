// The MSD radix sort from start to end: which kernels, in which order, with what shared memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/primitives/grid/in_order.cuh"
#include "gpu/primitives/grid/msd/count.cuh"
#include "gpu/primitives/grid/msd/leaf_sort.cuh"
#include "gpu/primitives/grid/msd/plan_level.cuh"
#include "gpu/primitives/grid/msd/scatter.cuh"
#include "gpu/primitives/grid/spread/look.cuh"
#include "gpu/primitives/grid/sweep/pass_plan.cuh"
#include "gpu/primitives/launch/early.cuh"

namespace sortlab::gpu::radix::msd_hybrid {

// The kernels.

using namespace msd;
using spread::Look;

/// Clears the counters and enters the keys, while the last block looks at a sample of them if `looks` says so.
template <class Bits>
__global__ void __launch_bounds__(Look::kThreads)
    start_plan(Plan plan, Buffers<Bits> buffers, bool looks, unsigned look_shift) {
  constexpr unsigned kThreads = Look::kThreads;
  __shared__ NewBucket s_all;
  __shared__ Look s_look;
  await_previous_kernel();
  const unsigned threads = gridDim.x * kThreads;
  const unsigned me = blockIdx.x * kThreads + threadIdx.x;
  const unsigned bins_ahead = plan.ahead_bits > 0 ? plan.bins_ahead() : 0;
  for (unsigned b = me; b < bins_ahead; b += threads) plan.odd.bins[b] = 0;
  for (unsigned i = me; i < plan.fall_back_words; i += threads) plan.fall_back[i] = 0;
  for (unsigned i = me; i < plan.weighing_words; i += threads) plan.weighing[i] = 0;
  if (blockIdx.x == gridDim.x - 1) {
    const bool is_left =
        looks && s_look.are_uneven(buffers.raw, buffers.key_map, plan.n, look_shift);
    if (threadIdx.x == 0) *plan.left = {is_left, 0};
  }
  if (blockIdx.x > 0) return;
  auto* const state = reinterpret_cast<unsigned*>(plan.counters);
  for (unsigned i = threadIdx.x; i < plan.state_bytes / sizeof(unsigned); i += kThreads) {
    state[i] = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) plan.counters[1].bins = bins_ahead;
  __syncthreads();
  plan_all(plan, plan.n, 8 * unsigned{sizeof(Bits)}, s_all);
}

/// The bits of two digits that are counted together: a block has room for 2^15 counters.
constexpr unsigned kMaxBitsAhead = 15;

using CountAllShared = CountShared<1u << kMaxBitsAhead>;

/// Prefetches the first keys into the L2 cache, one line of 128 bytes per thread: 17 MB on 132 SMs.
template <class Bits>
__device__ __forceinline__ void prefetch_keys(const Bits* keys, std::size_t n) {
#ifdef __CUDA_ARCH__
  const std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 128 / sizeof(Bits);
  if (i < n) asm volatile("prefetch.L2 [%0];" ::"l"(keys + i));
#endif
}

/// Counts what the levels or, if the look has left the keys to them, the sweeps are planned by. Kernels between this one and
/// the sweeps are then launched while it still counts. If one level is all, the block that is done last plans it.
template <bool kIsOnlyLevel, class Split, class Bits, class Map>
__global__ void __launch_bounds__(sweep::kPlanThreads, 1)
    count_or_plan_sweeps(Plan plan, Buffers<Bits, Map> buffers,
                         __grid_constant__ const sweep::BeforeSweeps<Bits> sweeps) {
  prefetch_keys(buffers.raw, plan.n);  // while the look is taken
  await_previous_kernel_alone();
  let_next_kernel_start();  // the kernels behind may now ask what the look has found
  if (plan.left->by_look) {
    sweeps.plan_with_common_key();
    return;
  }
  count_all<sweep::kPlanThreads>(plan, buffers,
                                 *reinterpret_cast<CountAllShared*>(dynamic_shared()));
  if constexpr (kIsOnlyLevel) {
    if (is_last_block(plan.blocks_done)) {
      plan_level(plan, 0, 0, 1, *reinterpret_cast<Split*>(dynamic_shared()));
    }
  }
}

/// Plans the sweeps if the counts have left the keys to them.
template <class Bits>
__global__ void __launch_bounds__(sweep::kPlanThreads, 1)
    plan_sweeps(Plan plan, __grid_constant__ const sweep::BeforeSweeps<Bits> sweeps) {
  if (plan.is_swept_at_once()) return;
  await_previous_kernel_alone();
  let_next_kernel_start();  // the tiles' counters are zero now
  if (plan.sweeps_are_due()) sweeps.plan_with_common_key();
}

/// Scatters on the only level that even keys need. If the counts have left the keys to the sweeps, plans these instead,
/// which saves a launch.
template <class Shared, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, 1)
    scatter_or_plan_sweeps(Plan plan, Buffers<Bits, Map> buffers,
                           __grid_constant__ const sweep::BeforeSweeps<Bits> sweeps) {
  if (plan.is_swept_at_once()) return;
  await_previous_kernel();
  if (plan.sweeps_are_due()) {
    sweeps.plan_with_common_key();
  } else {
    scatter_level(plan, 0, buffers, digit_of<Bits>, *reinterpret_cast<Shared*>(dynamic_shared()));
  }
}

template <class Bits>
using Sweeps = sweep::Sweeps<Bits, NoValue>;

/// The widths of the blocks and tiles of one key width. Keys, which are floats then, are spread if it says so
/// (spread_map.hpp): `kFilledT` 64ths of the range of their numbers are taken to have keys.
template <class ScatterT, unsigned kScatterBlocks, class LeafT, bool kSpreadsT = false,
          unsigned kFilledT = 64>
struct Tuning {
  using Scatter = ScatterT;
  using Leaf = LeafT;
  static constexpr unsigned kScatterBlocksAnSm = kScatterBlocks;
  static constexpr bool kSpreads = kSpreadsT;
  static constexpr unsigned kFilled = kFilledT;
  static constexpr unsigned kTile = Scatter::kThreads * Scatter::kItems;
  /// Whether one level will do for as many keys as the tuning is for: two have digits of up to 9 bits.
  static constexpr bool kSplitsOnce = Scatter::kBins > 1u << 9;
  static_assert(!kSplitsOnce || (Scatter::kThreads == sweep::kPlanThreads && kScatterBlocks == 1),
                "the kernel that scatters may have to plan the sweeps");
};

/// Bits that evenly spread keys are split by.
inline unsigned even_bits(const Plan& plan) {
  return plan.n <= plan.max_leaf ? 0
                                 : bit_width(plan.n / full_leaf(plan.max_leaf) * 64 / plan.filled);
}

/// Blocks that clear counters at the start, of which one looks at a sample, and that check the bins of two digits.
constexpr std::size_t kStartBlocks = 8;
constexpr std::size_t kCheckBlocks = 8;

/// Levels that evenly spread keys need.
inline unsigned even_levels(const Plan& plan) {
  return (even_bits(plan) + plan.max_digit_bits - 1) / plan.max_digit_bits;
}

template <class Tuning>
Plan make_plan(Layout& layout, std::size_t n) {
  using Bits = typename Tuning::Scatter::Bits;
  constexpr unsigned kDigitBits = std::bit_width(Tuning::Scatter::kBins) - 1;
  Plan plan(layout, n, Tuning::kTile, Tuning::Leaf::kMaxKeys, kDigitBits, 8 * sizeof(Bits));
  plan.filled = Tuning::kFilled;
  plan.even_levels = even_levels(plan);
  plan.falls_back = Tuning::kSpreads || plan.even_levels > 0;
  plan.first_bits = choose_digit_bits(n, 8 * sizeof(Bits), plan.max_leaf, kDigitBits, plan.filled);
  if (plan.even_levels == 2 && even_bits(plan) <= kMaxBitsAhead) {
    plan.ahead_bits = even_bits(plan) - plan.first_bits;
  }
  if (Tuning::kSpreads) {
    auto* const weighing = layout.take<spread::Weighing<Bits>>(1);
    plan.weighing = reinterpret_cast<unsigned*>(weighing);
    plan.weighing_words = spread::Weighing<Bits>::kClearedWords;
  }
  return plan;
}

template <class Tuning, class Bits, class Map>
void count_and_split(const Plan& plan, unsigned level, const Buffers<Bits, Map>& buffers,
                     const sweep::BeforeSweeps<Bits>& sweeps, std::size_t sms,
                     cudaStream_t stream) {
  using Scatter = typename Tuning::Scatter;
  constexpr unsigned kBins = Scatter::kBins;
  using Split = SplitShared<kPlanThreads, kBins>;
  if (plan.counts_once()) {
    if (level == 0) {
      launch_early("count_or_plan_sweeps",
                   count_or_plan_sweeps<Tuning::kSplitsOnce, Split, Bits, Map>,
                   {sms, sweep::kPlanThreads,
                    std::max({sizeof(CountAllShared), sweeps.kBytes, sizeof(Split)})},
                   stream, plan, buffers, sweeps);
    }
  } else if constexpr (!Tuning::kSplitsOnce) {
    launch_early("count_digits", count_digits<kBins, Bits, Map>,
                 {std::min(level_blocks(plan), kCountBlocksAnSm * sms), kCountThreads}, stream,
                 plan, level, buffers);
  }
  const std::size_t blocks = std::min(level_blocks(plan), Tuning::kScatterBlocksAnSm * sms);
  if constexpr (Tuning::kSplitsOnce) {
    launch_early("scatter_or_plan_sweeps", scatter_or_plan_sweeps<Scatter, Bits, Map>,
                 {blocks, Scatter::kThreads, std::max(sizeof(Scatter), sweeps.kBytes)}, stream,
                 plan, buffers, sweeps);
  } else {
    launch_early("plan_buckets", plan_buckets<Split>,
                 {level > 0             ? 2 * sms
                  : plan.ahead_bits > 0 ? 1 + kCheckBlocks
                                        : 1,
                  kPlanThreads, sizeof(Split)},
                 stream, plan, level);
    launch_early("scatter_keys", scatter_keys<Scatter, Tuning::kScatterBlocksAnSm, Bits, Map>,
                 {blocks, Scatter::kThreads, sizeof(Scatter)}, stream, plan, level, buffers);
  }
}

/// The workspace, in bytes.
template <class Tuning>
std::size_t bytes_of(std::size_t n) {
  Layout layout;
  const Plan plan = make_plan<Tuning>(layout, n);
  using Bits = typename Tuning::Scatter::Bits;
  const std::size_t sweeps = Sweeps<Bits>(n, nullptr).space.bytes;
  return std::max(layout.bytes() + (plan.falls_back ? sweeps : 0), sweeps);
}

template <class Bits>
sweep::Arrays<Bits, NoValue> swept_arrays(const Buffers<Bits>& buffers) {
  return {{buffers.raw, {}}, {buffers.data, {}}, {buffers.alternate, {}}, buffers.key_map};
}

/// The buffers of keys that are spread by the table of the plan.
template <class Bits>
Buffers<Bits, SpreadMap<Bits>> spread_buffers(const Plan& plan, const Buffers<Bits>& buffers) {
  const auto* const weighing = reinterpret_cast<const spread::Weighing<Bits>*>(plan.weighing);
  return {buffers.data, buffers.alternate, {buffers.key_map, &weighing->table}, buffers.raw};
}

/// Sorts by sweeps over all digits: what would be fallen back on anyway. The workspace that levels would need will do.
template <class Bits>
void sweep_alone(cudaStream_t stream, std::byte* workspace, const Buffers<Bits>& buffers,
                 std::size_t n) {
  if (n > 0) Sweeps<Bits>(n, workspace).sort(swept_arrays(buffers), stream);
}

template <class Tuning, class Bits>
void sort_on(cudaStream_t stream, std::byte* workspace, const Buffers<Bits>& buffers,
             std::size_t n) {
  if (n == 0) return;
  Layout layout(workspace);
  Plan plan = make_plan<Tuning>(layout, n);
  // With more than two levels, what the fall-back begins with would be gone.
  const bool has_levels =
      Tuning::kSplitsOnce ? plan.even_levels == 1 || !plan.falls_back : plan.even_levels <= 2;
  if (!has_levels) return sweep_alone(stream, workspace, buffers, n);
  plan.raw_is_data = buffers.raw == buffers.data;
  const Sweeps<Bits> fall_back(n, workspace + layout.bytes());
  if (plan.falls_back) {
    plan.fall_back = fall_back.cleared();
    plan.fall_back_words = fall_back.cleared_words();
  }
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  const unsigned levels = plan.even_levels;
  launch_early("start_plan", start_plan<Bits>, {kStartBlocks, Look::kThreads}, stream, plan,
               buffers, levels > 0, Tuning::kSpreads ? Look::kBehindPrefix : Look::kTop<Bits>);
  const auto swept = swept_arrays(buffers);
  const sweep::BeforeSweeps<Bits> sweeps(fall_back, swept);
  const auto split_and_sort = [&](const auto& split) {
    for (unsigned level = 0; level < levels; ++level) {
      count_and_split<Tuning>(plan, level, split, sweeps, sms, stream);
    }
    if (plan.falls_back) {
      if constexpr (!Tuning::kSplitsOnce) {
        launch_early("plan_sweeps", plan_sweeps<Bits>,
                     {sweep::plan_blocks(n), sweep::kPlanThreads, sweeps.kBytes}, stream, plan,
                     sweeps);
      }
      fall_back.sweep(swept, stream, plan.counts_once() ? &plan.left->by_look : nullptr);
    }
    launch_leaves<typename Tuning::Leaf>(plan, split, fall_back, swept, stream);
  };
  if constexpr (Tuning::kSpreads) {
    // Numbers that fill less of their range than was planned leave bins that are too large.
    const float least_evenness = static_cast<float>(plan.filled) / 64 * 9 / 10;
    spread::launch_weigh(buffers.raw, buffers.key_map, n, least_evenness,
                         reinterpret_cast<spread::Weighing<Bits>*>(plan.weighing),
                         &plan.left->by_look, stream);
    split_and_sort(spread_buffers(plan, buffers));
  } else {
    split_and_sort(buffers);
  }
}

// Which tuning of the sort takes n keys, and the sort with it. Its kernels are compiled in a unit for each width of keys (kernels.cu).

using Key32 = std::uint32_t;
using Key64 = std::uint64_t;

/// Blocks and tiles for the H200.
using Leaf32 = LeafBlockOf<Key32>;
using Leaf64 = LeafBlockOf<Key64>;

using Once = Tuning<msd::ScatterShared<Key32, 1024, 32, 4096>, 1, Leaf32>;
using Twice = Tuning<msd::ScatterShared<Key32, 512, 24, 256, 91>, 2, Leaf32>;
using TwiceLarge = Tuning<msd::ScatterShared<Key32, 1024, 24, 512, 91>, 1, Leaf32>;

using Once64 = Tuning<msd::ScatterShared<Key64, 1024, 16, 2048>, 1, Leaf64>;
using Twice64 = Tuning<msd::ScatterShared<Key64, 512, 16>, 2, Leaf64>;
using TwiceLarge64 = Tuning<msd::ScatterShared<Key64, 1024, 16, 256, 91>, 1, Leaf64>;

// Floats of 64 bits are spread (spread_map.hpp). Those of either sign fill little more than three quarters of the
// numbers, or 50 64ths.
template <class Scatter, unsigned kScatterBlocks>
using Floats = Tuning<Scatter, kScatterBlocks, Leaf64, true, 50>;
/// Fewer floats of 64 bits, and all of 32, are sorted by sweeps.
/// measured: us, [0, 1), spread and by sweeps: 1.1 million f64 114 vs 121, 2.0 million 119 vs 146; f32 of 4.3 million 102
/// vs 108, 30 million 454 vs 485, but keys of programs took 1.2 times as long; H200, h200/attempts/look.2.txt
constexpr std::size_t kFloatsSpreadFrom = 2'000'000;
using OnceFloats64 = Floats<msd::ScatterShared<Key64, 1024, 16, 2048>, 1>;
using TwiceFloats64 = Floats<msd::ScatterShared<Key64, 512, 16>, 2>;
using TwiceLargeFloats64 = Floats<msd::ScatterShared<Key64, 1024, 16, 256, 91>, 1>;

/// Calls use(tuning) for n keys of 4 or 8 bytes, which may be floats.
template <class Use>
auto with_tuning(std::size_t n, Key32, bool, Use use) {
  // Two waves of Once's tiles.
  // measured: u32, ms: 8.4 million keys 0.128 (Once), 10 million 0.193 (Once) vs 0.171 (Twice); H200,
  // slots.5.txt
  constexpr std::size_t kOnceBelow = 8'650'000;
  // One block per SM is slower where tiles are few.
  // measured: u32, ms: at 2^24 0.250 (one block) vs 0.234 (two), at 2^27 1.55 vs 1.60; H200,
  // slots.3.txt and .4
  constexpr std::size_t kLargeFrom = 1u << 26;
  if (n < kOnceBelow) return use(Once{});
  return n < kLargeFrom ? use(Twice{}) : use(TwiceLarge{});
}
template <class Use>
auto with_tuning(std::size_t n, Key64, bool are_floats, Use use) {
  // Three waves of Once64's tiles and more; beyond, Twice64 is ahead before they need a fourth wave.
  // measured: u64, ms: 6.6 million keys 0.188 (Once64) vs 0.223 (Twice64), 8.0 million 0.210 vs 0.249;
  // H200, small.7.txt and .8
  constexpr std::size_t kOnceBelow = 7'300'000;
  // measured: 2^27 u64, ms: 2.93 (with slots) vs 3.05 (without); H200, equalize.1.txt
  constexpr std::size_t kLargeFrom = 1u << 26;
  if (n < kOnceBelow) return are_floats ? use(OnceFloats64{}) : use(Once64{});
  if (n < kLargeFrom) return are_floats ? use(TwiceFloats64{}) : use(Twice64{});
  return are_floats ? use(TwiceLargeFloats64{}) : use(TwiceLarge64{});
}

/// Sorts n keys with the tuning for them.
template <class Bits>
void sort_tuned(cudaStream_t stream, std::byte* workspace, const msd::Buffers<Bits>& buffers,
                std::size_t n, bool are_floats) {
  if (are_floats && (sizeof(Bits) == 4 || n < kFloatsSpreadFrom)) {
    return sweep_alone(stream, workspace, buffers, n);
  }
  with_tuning(n, Bits{}, are_floats,
              [&]<class Tuning>(Tuning) { sort_on<Tuning>(stream, workspace, buffers, n); });
}

extern template void sort_tuned(cudaStream_t, std::byte*, const msd::Buffers<Key32>&, std::size_t,
                                bool);
extern template void sort_tuned(cudaStream_t, std::byte*, const msd::Buffers<Key64>&, std::size_t,
                                bool);

}  // namespace sortlab::gpu::radix::msd_hybrid
