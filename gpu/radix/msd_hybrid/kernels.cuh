// The kernels of the MSD radix sort, and the widths of their blocks and tiles.
#pragma once

#include "gpu/primitives/grid/last_block.cuh"
#include "gpu/primitives/grid/msd/count.cuh"
#include "gpu/primitives/grid/msd/leaves.cuh"
#include "gpu/primitives/grid/msd/plan_level.cuh"
#include "gpu/primitives/grid/msd/scatter.cuh"
#include "gpu/primitives/grid/spread/weigh.cuh"
#include "gpu/primitives/grid/sweep/common_key.cuh"
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

constexpr unsigned kCountBlocksAnSm = 3;
constexpr unsigned kCountThreads = 512;

/// Counts a level's digits, where two are too wide to be counted together.
template <unsigned kBins, class Bits, class Map>
__global__ void __launch_bounds__(kCountThreads, kCountBlocksAnSm)
    count_digits(Plan plan, unsigned level, Buffers<Bits, Map> buffers) {
  __shared__ CountShared<kBins> s;
  await_previous_kernel();
  count_level<kCountThreads>(plan, level, buffers, digit_of<Bits>, s);
}

/// The bits of two digits that are counted together: a block has room for 2^15 counters.
constexpr unsigned kMaxBitsAhead = 15;

using CountAllShared = CountShared<1u << kMaxBitsAhead>;

/// Makes the table of the map that spreads the keys. The last block looks whether the map will do.
template <class Bits>
__global__ void __launch_bounds__(spread::kThreads)
    weigh_keys(Plan plan, Buffers<Bits> buffers, float least_evenness, spread::Weighing<Bits>* to) {
  static_assert(spread::kThreads == Look::kThreads);
  std::byte* const s_bytes = dynamic_shared();
  auto& s = *reinterpret_cast<spread::WeighShared<Bits>*>(s_bytes);
  await_previous_kernel();
  spread::weigh_sample(buffers.raw, buffers.key_map, plan.n, *to, s);
  if (!is_last_block(&to->blocks_done)) return;
  const bool is_made = spread::make_table(*to, buffers.key_map, least_evenness, s);
  __syncthreads();
  const SpreadMap<Bits> map{buffers.key_map, &to->table};
  const bool is_left =
      !is_made || reinterpret_cast<Look*>(s_bytes)->are_uneven(buffers.raw, map, plan.n);
  if (is_left && threadIdx.x == 0) plan.left->by_look = 1;
}

/// Counts what the levels or, if the look has left the keys to them, the sweeps are planned by. Kernels between this one and
/// the sweeps are then launched while it still counts. If one level is all, the block that is done last plans it.
template <bool kIsOnlyLevel, class Split, class Bits, class Map>
__global__ void __launch_bounds__(sweep::kPlanThreads, 1)
    count_or_plan_sweeps(Plan plan, Buffers<Bits, Map> buffers,
                         __grid_constant__ const sweep::AroundSweeps<Bits> sweeps) {
  await_previous_kernel();
  if (plan.left->by_look) {
    sweep::plan_with_common_key(sweeps);
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
    plan_sweeps(Plan plan, __grid_constant__ const sweep::AroundSweeps<Bits> sweeps) {
  await_previous_kernel();
  if (plan.sweeps_are_due()) sweep::plan_with_common_key(sweeps);
}

template <class Shared>
__global__ void __launch_bounds__(Shared::kThreads, 1) plan_buckets(Plan plan, unsigned level) {
  auto& s = *reinterpret_cast<Shared*>(dynamic_shared());
  await_previous_kernel();
  if (level == 0 && blockIdx.x > 0) {
    check_bins_ahead(plan);
  } else {
    plan_level(plan, level, blockIdx.x, gridDim.x, s);
  }
}

template <class Shared, unsigned kBlocksAnSm, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    scatter_keys(Plan plan, unsigned level, Buffers<Bits, Map> buffers) {
  await_previous_kernel();
  scatter_level(plan, level, buffers, digit_of<Bits>, *reinterpret_cast<Shared*>(dynamic_shared()));
}

/// Scatters on the only level that even keys need. If the counts have left the keys to the sweeps, plans these instead,
/// which saves a launch.
template <class Shared, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, 1)
    scatter_or_plan_sweeps(Plan plan, Buffers<Bits, Map> buffers,
                           __grid_constant__ const sweep::AroundSweeps<Bits> sweeps) {
  await_previous_kernel();
  if (plan.sweeps_are_due()) {
    sweep::plan_with_common_key(sweeps);
  } else {
    scatter_level(plan, 0, buffers, digit_of<Bits>, *reinterpret_cast<Shared*>(dynamic_shared()));
  }
}

template <class Shared, unsigned kBlocksAnSm, class Bits, class Map>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    sort_small(Plan plan, Buffers<Bits, Map> buffers,
               __grid_constant__ const sweep::AroundSweeps<Bits> sweeps) {
  await_previous_kernel();
  if (unless_left(plan, 1) == 0) {
    sweeps.bring_home();
  } else {
    sort_leaves(plan, buffers, *reinterpret_cast<Shared*>(dynamic_shared()));
  }
}

}  // namespace sortlab::gpu::radix::msd_hybrid
