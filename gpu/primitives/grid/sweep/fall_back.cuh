// What a sort falls back on where it finds that keys are too uneven for it: the passes of the onesweep, in
// two launches, which are over at once if they are not needed. The items are still as they were given.
#pragma once

#include "gpu/primitives/grid/sweep/all_passes.cuh"

namespace sortlab::gpu::sweep {

/// The workspace of a fall-back, and its cut into portions.
template <class TileT, class Bits, class Value>
struct FallBack {
  using Tile = TileT;
  using Space = OnesweepSpace<kPasses<Bits>>;
  Portions portions;
  Space space;

  FallBack(std::size_t n, std::byte* workspace)
      : portions(n, sizeof(Bits) + kValueBytes<Value>, Tile::kTile), space(workspace, portions) {}

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
template <class Tile, class Bits, class Value>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    sweep_all(const unsigned* is_needed, __grid_constant__ const Sweep<Bits, Value> first,
              std::size_t n, unsigned long long* d_places) {
  await_previous_kernel_alone();
  if (!*is_needed) return;
  sweep_all_passes<Tile>(first, first.plan->passes, n, d_places);
  bring_home(first.arrays, n, first.plan->ends_in);
}

/// Sorts the items if *is_needed, which a kernel before has written. Then cleared() is zero.
template <class Tile, class Bits, class Value>
void launch_fall_back(const FallBack<Tile, Bits, Value>& it, const unsigned* is_needed,
                      const Arrays<Bits, Value>& arrays, std::size_t n, cudaStream_t stream) {
  constexpr std::size_t kKeysAPlanThread = 16;
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("plan_sweeps", plan_sweeps<Bits>,
               {std::min(sms, ceil_div(n, kPlanThreads * kKeysAPlanThread)), kPlanThreads,
                BinCounters<Bits>::kBytes},
               stream, is_needed, arrays.source.keys, arrays.has_own_source(), arrays.key_map, n,
               it.space.d_plan, reinterpret_cast<uint4*>(it.space.d_words),
               it.portions.tiles * kBins / 4);
  const auto first = first_sweep<Bits, Value>(arrays, it.space, it.portions, 0);
  launch_all_passes<Tile, Bits, Value>("sweep_all", sweep_all<Tile, Bits, Value>, it.portions,
                                       stream, is_needed, first, n, it.space.d_places);
}

}  // namespace sortlab::gpu::sweep
