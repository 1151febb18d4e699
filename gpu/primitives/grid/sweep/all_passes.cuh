// All passes of a sort in one kernel, by blocks that take one tile after the other.
#pragma once

#include "gpu/primitives/grid/sweep/partition_tile.cuh"

namespace sortlab::gpu::sweep {

// All passes that are planned in one launch: for sorts that as a rule turn out not to need them, when it is
// over at once, where a launch for each pass would take a microsecond each.
//
//     a block    takes a tile of the pass, the next one, ...    until none is left
//                waits until all tiles of the pass are done     and goes on with the next pass
//
// Each tile that a block waits for has been taken by a block that runs. So the blocks need not all be on the
// GPU at the same time: unlike those of a cooperative launch, they may start early (launch/early.cuh).

/// A block's tiles of a sweep, for which `pass` is planned: one after the other, until none is left.
template <class Policy, class Bits, class Value>
__device__ __forceinline__ void sweep_tiles(const Sweep<Bits, Value>& sweep, PassPlan& pass) {
  __shared__ unsigned s_tile;
  const auto space = TileSpace<Policy, Bits, Value>::in(dynamic_shared());
  unsigned taken = 0;
  for (;; ++taken) {
    take_tile<Policy>(sweep, space, s_tile);
    __syncthreads();
    if (s_tile >= sweep.tiles) break;
    sweep_tile<Policy>(sweep, pass, space, s_tile);
    __syncthreads();  // before shared memory is used again
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sweep.tiles_done, taken);
}

/// Does the passes. `first` is the sweep over the first portion in pass 0, whose tiles the others have as
/// well, but says how many items there are in all; d_places is where the bins of a portion and of the next go on.
template <class Tile, class Bits, class Value>
__device__ __forceinline__ void sweep_all_passes(const Sweep<Bits, Value>& first,
                                                 const PassPlan (&passes)[kPasses<Bits>],
                                                 unsigned long long* d_places) {
  __shared__ Sweep<Bits, Value> s_sweep;
  for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
    PassPlan plan = passes[pass];
    if (!plan.is_needed) continue;
    for (unsigned portion = 0; portion < first.portions; ++portion) {
      if (threadIdx.x == 0) {
        const std::size_t most = std::size_t{first.tiles} * Tile::kTile;
        s_sweep = first;
        s_sweep.begin = portion * most;
        s_sweep.n = min(first.n - s_sweep.begin, most);
        s_sweep.pass = pass;
        s_sweep.portion = portion;
        s_sweep.next_tile = first.next_tile + pass * first.portions + portion;
        s_sweep.tiles_done = first.tiles_done + pass * first.portions + portion;
        s_sweep.place =
            portion == 0 ? first.plan->first_place[pass] : d_places + portion % 2 * kBins;
        s_sweep.next_place = d_places + (portion + 1) % 2 * kBins;
      }
      __syncthreads();
      sweep_tiles<Tile>(s_sweep, plan);
      await_count(s_sweep.tiles_done, first.tiles);
      __syncthreads();  // before s_sweep changes
    }
  }
}

/// The sweep over the first portion in pass 0, of the second round of all passes over n items.
template <class Bits, class Value>
Sweep<Bits, Value> first_sweep(const Arrays<Bits, Value>& arrays, const Sweeps<Bits, Value>& all) {
  const Portions& cut = all.portions;
  const auto& space = all.space;
  const std::size_t before = kPasses<Bits> * cut.portions;
  return {.arrays = arrays,
          .begin = 0,
          .n = all.n,
          .tiles = static_cast<unsigned>(cut.tiles),
          .pass = 0,
          .portion = 0,
          .portions = static_cast<unsigned>(cut.portions),
          .has_plan = false,
          .may_start_early = false,
          .at_once = nullptr,
          .next_tile = space.d_next_tiles + before,
          .tiles_done = space.d_tiles_done + before,
          .words = space.d_words,
          .plan = space.d_plan,
          .place = nullptr,
          .next_place = nullptr};
}

}  // namespace sortlab::gpu::sweep
