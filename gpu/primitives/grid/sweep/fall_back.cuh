// What a sort of keys alone falls back on where it finds that they are too uneven for it: the passes of the onesweep, in
// two launches, which are over at once if they are not needed. The items are still as they were given.
// A key that most items are is taken out before (common_key.cuh).
#pragma once

#include "gpu/primitives/grid/sweep/common_key.cuh"

namespace sortlab::gpu::sweep {

/// The workspace of a fall-back, and its cut into portions.
template <class TileT, class Bits>
struct FallBack {
  using Tile = TileT;
  using Space = OnesweepSpace<kPasses<Bits>>;
  Portions portions;
  Space space;

  FallBack(std::size_t n, std::byte* workspace)
      : portions(n, sizeof(Bits), Tile::kTile), space(workspace, portions) {}

  /// What has to be zero where the sweeps are needed.
  unsigned* cleared() const { return reinterpret_cast<unsigned*>(space.d_plan); }
  unsigned cleared_words() const {
    return static_cast<unsigned>(space.cleared_bytes / sizeof(unsigned));
  }
};

template <class Bits>
__global__ void __launch_bounds__(kPlanThreads, 1)
    plan_sweeps(const unsigned* is_needed, const Bits* keys, bool has_own_source,
                KeyMap<Bits> key_map, std::size_t n, Plan<kPasses<Bits>>* plan, uint4* words,
                std::size_t word_vectors) {
  await_previous_kernel();
  if (*is_needed) {
    count_and_plan(keys, has_own_source, key_map, n, plan, words, word_vectors);
  }
}

/// All passes, and the result brought home to the data. See sweep_all_passes.
template <class Tile, class Bits>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    sweep_all(const unsigned* is_needed, __grid_constant__ const Sweep<Bits, NoValue> first,
              unsigned long long* d_places) {
  await_previous_kernel_alone();
  if (!*is_needed) return;
  if (sort_by_common_key<Tile>(first, d_places)) return;
  sweep_all_passes<Tile>(first, first.plan->passes, d_places);
  bring_home(first.arrays, first.n, first.plan->ends_in);
}

/// Sorts the items if *is_needed, which a kernel before has written. Then cleared() is zero.
template <class Tile, class Bits>
void launch_fall_back(const FallBack<Tile, Bits>& it, const unsigned* is_needed,
                      const Arrays<Bits, NoValue>& arrays, std::size_t n, cudaStream_t stream) {
  constexpr std::size_t kKeysAPlanThread = 16;
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("plan_sweeps", plan_sweeps<Bits>,
               {std::min(sms, ceil_div(n, kPlanThreads * kKeysAPlanThread)), kPlanThreads,
                BinCounters<Bits>::kBytes},
               stream, is_needed, arrays.source.keys, arrays.has_own_source(), arrays.key_map, n,
               it.space.d_plan, reinterpret_cast<uint4*>(it.space.d_words),
               it.portions.tiles * kBins / 4);
  const auto first = first_sweep(arrays, n, it.space, it.portions, 0);
  launch_all_passes<Tile, Bits, NoValue>("sweep_all", sweep_all<Tile, Bits>, it.portions, stream,
                                         is_needed, first, it.space.d_places);
}

}  // namespace sortlab::gpu::sweep
