// The kernels of the MSD radix sort, and the widths of their blocks and tiles.
#pragma once

#include "gpu/primitives/grid/msd/count.cuh"
#include "gpu/primitives/grid/msd/leaves.cuh"
#include "gpu/primitives/grid/msd/plan_level.cuh"
#include "gpu/primitives/grid/msd/scatter.cuh"
#include "gpu/primitives/grid/sweep/fall_back.cuh"
#include "gpu/primitives/launch/early.cuh"
#include "gpu/radix/msd_hybrid/look.cuh"

namespace sortlab::gpu::radix::msd_hybrid {

using namespace msd;

constexpr unsigned kPlanThreads = 1024;

/// Clears the counters and enters the keys, while the last block looks at a sample of them if `looks` says so.
template <class Bits>
__global__ void __launch_bounds__(Look::kThreads)
    start_plan(Plan plan, Buffers<Bits> buffers, bool looks) {
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
    const bool is_left = looks && s_look.are_uneven(buffers.raw, buffers.key_map, plan.n);
    if (threadIdx.x == 0) *plan.is_left = is_left;
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

/// Few blocks count many bins, because each block must add its own counts to the total.
template <unsigned kBins>
constexpr unsigned kCountBlocksAnSm = kBins > kMaxBins ? 1 : 3;
template <unsigned kBins>
constexpr unsigned kCountThreads = kBins > kMaxBins ? 1024 : 512;

template <unsigned kBins, class Bits, class Map>
__global__ void __launch_bounds__(kCountThreads<kBins>, kCountBlocksAnSm<kBins>)
    count_digits(Plan plan, unsigned level, Buffers<Bits, Map> buffers) {
  __shared__ CountShared<kBins> s;
  await_previous_kernel();
  count_level<kCountThreads<kBins>>(plan, level, buffers, digit_of<Bits>, s);
}

/// The bits of two digits that are counted together: a block has room for 2^15 counters.
constexpr unsigned kMaxBitsAhead = 15;
constexpr unsigned kAheadThreads = 1024;

using AheadShared = CountShared<1u << kMaxBitsAhead>;

template <class Bits, class Map>
__global__ void __launch_bounds__(kAheadThreads, 1)
    count_two_digits(Plan plan, Buffers<Bits, Map> buffers) {
  auto& s = *reinterpret_cast<AheadShared*>(dynamic_shared());
  await_previous_kernel();
  count_ahead<kAheadThreads>(plan, buffers, s);
}

template <class Shared>
__global__ void __launch_bounds__(Shared::kThreads, 1) plan_buckets(Plan plan, unsigned level) {
  auto& s = *reinterpret_cast<Shared*>(dynamic_shared());
  await_previous_kernel();
  if (level == 0 && blockIdx.x > 0) {
    check_bins_ahead(plan);
  } else {
    plan_level(plan, level, s);
  }
}

template <class Shared, unsigned kBlocksAnSm, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    scatter_keys(Plan plan, unsigned level, Buffers<Bits, Map> buffers) {
  await_previous_kernel();
  scatter_level(plan, level, buffers, digit_of<Bits>, *reinterpret_cast<Shared*>(dynamic_shared()));
}

/// Scatters on the only level that even keys need. If all keys are left to the fall-back, counts for its sweeps instead,
/// which saves a launch.
template <class Shared, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, 1)
    scatter_or_plan_sweeps(Plan plan, Buffers<Bits, Map> buffers,
                           __grid_constant__ const sweep::AroundSweeps<Bits> sweeps) {
  await_previous_kernel();
  if (*plan.is_left) {
    sweeps.count_and_plan();
  } else {
    scatter_level(plan, 0, buffers, digit_of<Bits>, *reinterpret_cast<Shared*>(dynamic_shared()));
  }
}

template <class Shared, unsigned kBlocksAnSm, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    sort_small(Plan plan, Buffers<Bits, Map> buffers,
               __grid_constant__ const sweep::AroundSweeps<Bits> sweeps) {
  await_previous_kernel();
  if (*plan.is_left) {
    sweeps.bring_home();
  } else {
    sort_leaves(plan, buffers, *reinterpret_cast<Shared*>(dynamic_shared()));
  }
}

}  // namespace sortlab::gpu::radix::msd_hybrid
