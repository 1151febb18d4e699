// The kernels of the MSD radix sort, and the widths of their blocks and tiles.
#pragma once

#include <cooperative_groups.h>

#include "gpu/radix/msd_leaf.cuh"

namespace sortlab::msd {

constexpr unsigned kCountThreads = 512;
constexpr unsigned kPlanThreads = 1024;

template <class Bits>
__global__ void __launch_bounds__(kCountThreads, 3)
    count_digits(Plan plan, unsigned level, Buffers<Bits> buffers) {
  __shared__ CountShared s;
  count_level<kCountThreads>(plan, level, buffers, s);
}

template <unsigned kThreads>
__global__ void __launch_bounds__(kThreads) plan_buckets(Plan plan, unsigned level) {
  __shared__ SplitShared<kThreads> s;
  plan_level<kThreads>(plan, level, s);
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
    count_level<kThreads>(plan, level, buffers, *reinterpret_cast<CountShared*>(s_bytes));
    cooperative_groups::this_grid().sync();
    plan_level<kThreads>(plan, level, *reinterpret_cast<SplitShared<kThreads>*>(s_bytes));
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
