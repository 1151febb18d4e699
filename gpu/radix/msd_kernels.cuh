// The kernels of the MSD radix sort, and the widths of their blocks and tiles.
#pragma once

#include <cooperative_groups.h>

#include "gpu/radix/msd_count.cuh"
#include "gpu/radix/msd_leaves.cuh"
#include "gpu/radix/msd_scatter.cuh"

namespace sortlab::msd {

constexpr unsigned kPlanThreads = 1024;

/// Many bins are counted by few blocks, as each hands its own in.
template <unsigned kBins>
constexpr unsigned kCountBlocksAnSm = kBins > kMaxBins ? 1 : 3;
template <unsigned kBins>
constexpr unsigned kCountThreads = kBins > kMaxBins ? 1024 : 512;

template <unsigned kBins, class Bits>
__global__ void __launch_bounds__(kCountThreads<kBins>, kCountBlocksAnSm<kBins>)
    count_digits(Plan plan, unsigned level, Buffers<Bits> buffers) {
  __shared__ CountShared<kBins> s;
  count_level<kCountThreads<kBins>>(plan, level, buffers, s);
}

/// The bits of two digits that are counted together: a block has room for 2^15 counters.
constexpr unsigned kMaxBitsAhead = 15;
constexpr unsigned kAheadThreads = 1024;

template <class Bits>
__global__ void __launch_bounds__(kAheadThreads, 1)
    count_two_digits(Plan plan, Buffers<Bits> buffers) {
  count_ahead<kAheadThreads>(
      plan, buffers, *reinterpret_cast<CountShared<1u << kMaxBitsAhead>*>(gpu::dynamic_shared()));
}

template <class Shared>
__global__ void __launch_bounds__(Shared::kThreads) plan_buckets(Plan plan, unsigned level) {
  plan_level(plan, level, *reinterpret_cast<Shared*>(gpu::dynamic_shared()));
}

template <class Shared, unsigned kBlocksAnSm, class Bits>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    scatter_keys(Plan plan, unsigned level, Buffers<Bits> buffers) {
  scatter_level(plan, level, buffers, *reinterpret_cast<Shared*>(gpu::dynamic_shared()));
}

/// All levels from `level` on, for keys that are spread so unevenly that some bucket is too large
/// for a leaf after the levels that even ones need. The blocks are all resident, so they can wait
/// for each other.
template <class Shared, unsigned kBlocksAnSm, class Bits>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    remaining_levels(Plan plan, unsigned level, Buffers<Bits> buffers) {
  constexpr unsigned kThreads = Shared::kThreads;
  auto* const s_bytes = gpu::dynamic_shared();
  for (; level < kMaxLevels && plan.counters[level].buckets > 0; ++level) {
    count_level<kThreads>(plan, level, buffers,
                          *reinterpret_cast<CountShared<Shared::kBins>*>(s_bytes));
    cooperative_groups::this_grid().sync();
    plan_level(plan, level, *reinterpret_cast<SplitShared<kThreads, Shared::kBins>*>(s_bytes));
    cooperative_groups::this_grid().sync();
    scatter_level(plan, level, buffers, *reinterpret_cast<Shared*>(s_bytes));
    cooperative_groups::this_grid().sync();
  }
}

template <class Shared, unsigned kBlocksAnSm, class Bits>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    sort_small(Plan plan, Buffers<Bits> buffers) {
  sort_leaves(plan, buffers, *reinterpret_cast<Shared*>(gpu::dynamic_shared()));
}

}  // namespace sortlab::msd
