// The kernels of the MSD radix sort, and the widths of their blocks and tiles.
#pragma once

#include <cooperative_groups.h>

#include "gpu/primitives/grid/msd/count.cuh"
#include "gpu/primitives/grid/msd/leaves.cuh"
#include "gpu/primitives/grid/msd/pivot.cuh"
#include "gpu/primitives/grid/msd/plan_level.cuh"
#include "gpu/primitives/grid/msd/scatter.cuh"
#include "gpu/primitives/grid/sweep/fall_back.cuh"
#include "gpu/primitives/launch/early.cuh"
#include "gpu/radix/msd_hybrid/large_bins.cuh"
#include "gpu/radix/msd_hybrid/sample.cuh"

namespace sortlab::gpu::radix::msd_hybrid {

using namespace msd;

constexpr unsigned kPlanThreads = 1024;

/// Clears the counters and enters the keys, while the last block examines a sample of them; other blocks help with long
/// work. Keys that are never equalized are examined if count_if_full is not 0 (LargeBins).
template <class Bits>
__global__ void __launch_bounds__(kSampleThreads)
    start_plan(Plan plan, Buffers<Bits> buffers, float count_if_full) {
  static_assert(LargeBins::kThreads == kSampleThreads);
  __shared__ NewBucket s_all;
  __shared__ GlanceShared s_glance;
  __shared__ LargeBins s_large;
  await_previous_kernel();
  const unsigned threads = gridDim.x * kSampleThreads;
  const unsigned me = blockIdx.x * kSampleThreads + threadIdx.x;
  const unsigned bins_ahead = plan.ahead_bits > 0 ? plan.bins_ahead() : 0;
  for (unsigned b = me; b < bins_ahead; b += threads) plan.odd.bins[b] = 0;
  for (unsigned i = me; i < plan.fall_back_words; i += threads) plan.fall_back[i] = 0;
  for (unsigned i = me; i < plan.weighing_words; i += threads) plan.weighing[i] = 0;
  if (blockIdx.x == gridDim.x - 1) {
    if (plan.equalizing != nullptr) {
      glance(plan, buffers, s_glance);
    } else {
      const bool is_left = count_if_full > 0 && s_large.are_predicted(buffers.raw, buffers.key_map,
                                                                      plan.n, count_if_full);
      if (threadIdx.x == 0) *plan.is_left = is_left;
    }
  }
  if (blockIdx.x > 0) return;
  auto* const state = reinterpret_cast<unsigned*>(plan.counters);
  for (unsigned i = threadIdx.x; i < plan.state_bytes / sizeof(unsigned); i += kSampleThreads) {
    state[i] = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) plan.counters[1].bins = bins_ahead;
  __syncthreads();
  plan_all(plan, plan.n, 8 * unsigned{sizeof(Bits)}, s_all);
}

/// Few blocks count many bins, because each block must add its own counts to the total.
template <unsigned kBins>
constexpr unsigned kCountBlocksAnSm = kBins > kMaxBins ? 1 : 3;
template <unsigned kBins>
constexpr unsigned kCountThreads = kBins > kMaxBins ? 1024 : 512;

template <unsigned kBins, class Bits, class Map>
__global__ void __launch_bounds__(kCountThreads<kBins>, kCountBlocksAnSm<kBins>)
    count_digits(Plan plan, unsigned level, Buffers<Bits, Map> buffers) {
  __shared__ CountShared<kBins> s;
  __shared__ Equalizer s_equalizer;
  await_previous_kernel();
  count_level<kCountThreads<kBins>>(plan, level, buffers, digit_of<Bits>, s, &s_equalizer);
}

/// The bits of two digits that are counted together: a block has room for 2^15 counters.
constexpr unsigned kMaxBitsAhead = 15;
constexpr unsigned kAheadThreads = 1024;

struct AheadShared {
  CountShared<1u << kMaxBitsAhead> count;
  Equalizer equalizer;
};

template <class Bits, class Map>
__global__ void __launch_bounds__(kAheadThreads, 1)
    count_two_digits(Plan plan, Buffers<Bits, Map> buffers) {
  auto& s = *reinterpret_cast<AheadShared*>(dynamic_shared());
  await_previous_kernel();
  count_ahead<kAheadThreads>(plan, buffers, s.count, s.equalizer);
}

template <class Shared>
__global__ void __launch_bounds__(Shared::kThreads, 1) plan_buckets(Plan plan, unsigned level) {
  auto& s = *reinterpret_cast<Shared*>(dynamic_shared());
  await_previous_kernel();
  if (level == 0 && blockIdx.x > 0) {
    check_bins_ahead(plan, s);
  } else {
    plan_level(plan, level, s);
  }
}

template <class Shared, unsigned kBlocksAnSm, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    scatter_keys(Plan plan, unsigned level, Buffers<Bits, Map> buffers) {
  await_previous_kernel();
  if (plan.equalizing != nullptr && plan.equalizing->is_on) return;
  scatter_level(plan, level, buffers, digit_of<Bits>, *reinterpret_cast<Shared*>(dynamic_shared()));
}

/// Scatters on the only level that even keys need. If all keys are left to the fall-back, counts for its sweeps instead,
/// which saves a launch.
template <class Shared, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, 1)
    scatter_or_plan_sweeps(Plan plan, Buffers<Bits, Map> buffers,
                           sweep::SweepsToPlan<Bits> sweeps) {
  await_previous_kernel();
  if (*plan.is_left) {
    sweeps.count_and_plan();
  } else {
    scatter_level(plan, 0, buffers, digit_of<Bits>, *reinterpret_cast<Shared*>(dynamic_shared()));
  }
}

template <class Shared>
struct EqualizedShared {
  Shared scatter;
  Equalizer equalizer;
};

/// The same for keys that are equalized. It is a separate kernel, because one kernel for both would
/// run out of registers.
template <class Shared, unsigned kBlocksAnSm, class Bits>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    scatter_equalized(Plan plan, unsigned level, Buffers<Bits> buffers) {
  await_previous_kernel();
  if (!plan.equalizing->is_on) return;
  auto& s = *reinterpret_cast<EqualizedShared<Shared>*>(dynamic_shared());
  load_equalizer<Shared::kThreads>(plan, s.equalizer);
  const auto number_digit = [&](const Bucket& bucket) {
    return number_digit_of(bucket, s.equalizer);
  };
  scatter_level(plan, level, buffers, number_digit, s.scatter);
}

/// All levels from `level` on, for keys so uneven that some bucket is too large for a leaf after
/// the levels that evenly spread keys need. The blocks are all resident, so they can wait for each
/// other.
template <class Shared, unsigned kBlocksAnSm, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    remaining_levels(Plan plan, unsigned level, Buffers<Bits, Map> buffers) {
  constexpr unsigned kThreads = Shared::kThreads;
  auto* const s_bytes = dynamic_shared();
  if (unless_left(plan, plan.counters[level].buckets) == 0) return;
  const auto digit = key_or_pivot_digit_of<Bits>;
  for (; level < kMaxLevels && plan.counters[level].buckets > 0; ++level) {
    if (level < plan.even_levels + kPivotLevels) {
      choose_pivots(plan, level, buffers);
      cooperative_groups::this_grid().sync();
    }
    count_level<kThreads>(plan, level, buffers, digit,
                          *reinterpret_cast<CountShared<Shared::kBins>*>(s_bytes));
    cooperative_groups::this_grid().sync();
    plan_level(plan, level, *reinterpret_cast<SplitShared<kThreads, Shared::kBins>*>(s_bytes));
    cooperative_groups::this_grid().sync();
    scatter_level(plan, level, buffers, digit, *reinterpret_cast<Shared*>(s_bytes));
    cooperative_groups::this_grid().sync();
  }
}

template <class Shared, unsigned kBlocksAnSm, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    sort_small(Plan plan, Buffers<Bits, Map> buffers) {
  await_previous_kernel();
  sort_leaves(plan, buffers, *reinterpret_cast<Shared*>(dynamic_shared()));
}

}  // namespace sortlab::gpu::radix::msd_hybrid
