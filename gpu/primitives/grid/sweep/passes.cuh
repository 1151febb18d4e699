// The onesweep from the host's side: the launches, with any tile.
#pragma once

#include <algorithm>

#include "gpu/primitives/grid/sweep/partition_tile.cuh"
#include "gpu/primitives/launch/early.cuh"

namespace sortlab::gpu::sweep {

/// Has a pass that is not needed copy the items if the passes would leave them in another array than the data: of an
/// odd number needed one is not, as all are an even number. One thread.
template <unsigned kPassCount>
__device__ __forceinline__ void bring_home_by_a_pass(Plan<kPassCount>& plan) {
  if (plan.ends_in == EndsIn::data) return;
  const unsigned not_needed = ~plan.needed & ((1u << kPassCount) - 1);
  const unsigned copying = 31 - __clz(static_cast<int>(not_needed));
  PassPlan& copy = plan.passes[copying];
  copy.copies = true;
  if (plan.ends_in == EndsIn::source) copy.from_alternate = true;
  for (unsigned pass = copying + 1; pass < kPassCount; ++pass) {
    plan.passes[pass].from_source = false;
    plan.passes[pass].from_alternate = !plan.passes[pass].from_alternate;
  }
  plan.ends_in = EndsIn::data;
}

template <class Bits, std::size_t kMostBytes>
__global__ void __launch_bounds__(kPlanThreads, 1)
    plan_sort(const Bits* keys, bool has_own_source, KeyMap<Bits> key_map, std::size_t n,
              Plan<kPasses<Bits>>* plan, uint4* words, std::size_t word_vectors) {
  await_previous_kernel();
  if (!count_and_plan<kMostBytes>(keys, has_own_source, key_map, n, plan, words, word_vectors)) {
    return;
  }
  if (threadIdx.x == 0) bring_home_by_a_pass(*plan);
}

/// Copies a tile to the other array. A thread reads kAtOnce items before it writes one, as the compiler can't know that the
/// arrays are apart.
template <class Policy, class Bits, class Value>
__device__ __forceinline__ void copy_tile(const Sweep<Bits, Value>& sweep, const PassPlan& pass,
                                          unsigned tile) {
  constexpr unsigned kAtOnce = 8;
  const TilePartition<Policy, Bits, Value> partition{sweep, pass, {}, 0, tile};
  const auto from = partition.source();
  const auto to = partition.target();
  if (are_same(from, to)) return;
  const std::size_t begin = std::size_t{tile} * Policy::kTile;
  const std::size_t end = min(begin + Policy::kTile, sweep.n);
  for (std::size_t first = begin + threadIdx.x; first < end; first += kAtOnce * Policy::kThreads) {
    Item<Bits, Value> items[kAtOnce];
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) {
      const std::size_t i = first + k * Policy::kThreads;
      if (i < end) {
        items[k] = pass.from_source ? sweep.arrays.given(sweep.begin + i) : from[sweep.begin + i];
      }
    }
#pragma unroll
    for (unsigned k = 0; k < kAtOnce; ++k) {
      const std::size_t i = first + k * Policy::kThreads;
      if (i < end) to.put(sweep.begin + i, items[k]);
    }
  }
}

/// A pass, with a block for each tile. A block takes its tile while the kernel in front still runs: next_tile was made
/// zero before that one began.
template <class Policy, class Bits, class Value>
__global__ void __launch_bounds__(Policy::kThreads, Policy::kBlocks)
    partition_tiles(__grid_constant__ const Sweep<Bits, Value> sweep) {
  __shared__ unsigned s_tile;
  const auto space = TileSpace<Policy, Bits, Value>::in(dynamic_shared());
  take_tile<Policy>(sweep, space, s_tile);
  await_previous_kernel();
  const PassPlan pass = sweep.plan->passes[sweep.pass];
  __syncthreads();
  if (pass.is_needed) {
    sweep_tile<Policy>(sweep, pass, space, s_tile);
  } else if (pass.copies) {
    copy_tile<Policy>(sweep, pass, s_tile);
  }
}

/// Of items of so many bytes in all, more stay in the L2 cache (50 MB) from pass to pass if it drops first what
/// a pass has read. With more items a pass is slower then. Keys of 4 bytes gain at most 1 %.
/// measured: 4 million, us: u32+u32 172 vs 187, u64 279 vs 302, u64+u32 430 vs 454; 16 million: 637 vs 630,
/// 1113 vs 1060, 1753 vs 1696; H100, h100/attempts/l2.1.txt
constexpr std::size_t kMostBytesDropped = std::size_t{48} << 20;

/// Does the passes that are planned, a launch for each.
template <class Policy, class Bits, class Value>
void launch_passes(const Arrays<Bits, Value>& arrays, std::size_t n,
                   const OnesweepSpace<kPasses<Bits>>& space, const Portions& cut,
                   cudaStream_t stream) {
  constexpr std::size_t kItemBytes = sizeof(Bits) + kValueBytes<Value>;
  auto* kernel = partition_tiles<Policy, Bits, Value>;
  if constexpr (kItemBytes > 4) {
    if (n <= kMostBytesDropped / kItemBytes) {
      kernel = partition_tiles<typename Policy::DropsRead, Bits, Value>;
    }
  }
  for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
    for (unsigned portion = 0; portion < cut.portions; ++portion) {
      const std::size_t most = cut.tiles * Policy::kTile;
      const std::size_t begin = portion * most;
      unsigned long long* const place =
          portion == 0 ? space.d_plan->first_place[pass] : space.d_places + portion % 2 * kBins;
      // Also for a shorter last portion as many tiles as for the others: each writes its words in
      // each sweep, as those of the sweep before the last bear the tag of this one.
      const Sweep<Bits, Value> sweep{
          .arrays = arrays,
          .begin = begin,
          .n = std::min(n - begin, most),
          .tiles = static_cast<unsigned>(cut.tiles),
          .pass = pass,
          .portion = portion,
          .portions = static_cast<unsigned>(cut.portions),
          .next_tile = space.d_next_tiles + pass * cut.portions + portion,
          .tiles_done = nullptr,
          .words = space.d_words,
          .plan = space.d_plan,
          .place = place,
          .next_place = space.d_places + (portion + 1) % 2 * kBins};
      launch_early("partition_tiles", kernel,
                   {cut.tiles, Policy::kThreads, TileSpace<Policy, Bits, Value>::kBytes}, stream,
                   sweep);
    }
  }
}

/// Sorts the items of `source`; the result is in `data`.
template <class Policy, class Bits, class Value>
void sort_in_sweeps(const Arrays<Bits, Value>& arrays, std::size_t n,
                    const OnesweepSpace<kPasses<Bits>>& space, const Portions& cut,
                    cudaStream_t stream) {
  constexpr std::size_t kMostBytes = Policy::kMostCounterBytes;
  launch_plan("plan_sort", plan_sort<Bits, kMostBytes>, BinCounters<Bits, kMostBytes>::kBytes,
              arrays, n, space, cut, stream);
  launch_passes<Policy>(arrays, n, space, cut, stream);
}

}  // namespace sortlab::gpu::sweep
