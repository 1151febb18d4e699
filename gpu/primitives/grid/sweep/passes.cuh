// The onesweep from the host's side: the launches, with any tile.
#pragma once

#include <algorithm>

#include "gpu/primitives/grid/sweep/partition_tile.cuh"
#include "gpu/primitives/launch/early.cuh"

namespace sortlab::gpu::sweep {

template <class Bits, std::size_t kMostBytes>
__global__ void __launch_bounds__(kPlanThreads, 1)
    plan_sort(const Bits* keys, bool has_own_source, KeyMap<Bits> key_map, std::size_t n,
              Plan<kPasses<Bits>>* plan, uint4* words, std::size_t word_vectors) {
  await_previous_kernel();
  if (count_and_plan<kMostBytes>(keys, has_own_source, key_map, n, plan, words, word_vectors)) {
    let_passes_start(*plan);
  }
}

/// Of items of so many bytes in all, more stay in the L2 cache (50 MB) from pass to pass if it drops first what
/// a pass has read. With more items a pass is slower then. Keys of 4 bytes gain at most 1 %.
/// measured: 4 million, us: u32+u32 172 vs 187, u64 279 vs 302, u64+u32 430 vs 454; 16 million: 637 vs 630,
/// 1113 vs 1060, 1753 vs 1696; H100, h100/attempts/l2.1.txt; 4.3 million u64+u32 (52 MB), heavy: 381 vs 393; H200, timeline.1.txt
constexpr std::size_t kMostBytesDropped = std::size_t{52} << 20;

/// Does the passes that are planned, a launch for each.
template <class Policy, class Bits, class Value>
void launch_passes(const Arrays<Bits, Value>& arrays, std::size_t n,
                   const OnesweepSpace<kPasses<Bits>>& space, const Portions& cut,
                   cudaStream_t stream, bool may_start_early = false,
                   const unsigned* d_at_once = nullptr) {
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
          .has_plan = pass > 0 || portion > 0,
          .may_start_early = may_start_early && pass == 0 && portion == 0,
          .at_once = d_at_once,
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

template <class Bits, class Value>
__global__ void __launch_bounds__(kCopyThreads)
    copy_home(__grid_constant__ const Arrays<Bits, Value> arrays, std::size_t n,
              const Plan<kPasses<Bits>>* plan) {
  await_previous_kernel();
  bring_home(arrays, n, plan->ends_in, arrays.data);
}

/// Brings the result home if it is not there.
template <class Bits, class Value>
void launch_copy_home(const Arrays<Bits, Value>& arrays, std::size_t n,
                      const OnesweepSpace<kPasses<Bits>>& space, cudaStream_t stream) {
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("copy_home", copy_home<Bits, Value>,
               {std::min(2 * sms, ceil_div(n, kCopyThreads)), kCopyThreads}, stream, arrays, n,
               space.d_plan);
}

/// Sorts the items of `source`; the result is in `data`.
template <class Policy, class Bits, class Value>
void sort_in_sweeps(const Arrays<Bits, Value>& arrays, std::size_t n,
                    const OnesweepSpace<kPasses<Bits>>& space, const Portions& cut,
                    cudaStream_t stream) {
  constexpr std::size_t kMostBytes = Policy::kMostCounterBytes;
  launch_plan("plan_sort", plan_sort<Bits, kMostBytes>, BinCounters<Bits, kMostBytes>::kBytes,
              arrays, n, space, cut, stream);
  launch_passes<Policy>(arrays, n, space, cut, stream, true);
  launch_copy_home(arrays, n, space, stream);
}

}  // namespace sortlab::gpu::sweep
