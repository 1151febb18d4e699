// All passes that are planned in one launch: for sorts that as a rule turn out not to need them, when it is
// over at once, where a launch for each pass would take a microsecond each.
//
//     a block    takes a tile of the pass, the next one, ...    until none is left
//                waits until all tiles of the pass are done     and goes on with the next pass
//
// Each tile that a block waits for has been taken by a block that runs. So the blocks need not all be on the
// GPU at the same time: unlike those of a cooperative launch, they may start early (launch/early.cuh).
#pragma once

#include "gpu/primitives/grid/relaxed.cuh"
#include "gpu/primitives/grid/sweep/passes.cuh"

namespace sortlab::gpu::sweep {

/// Waits until others have counted as far as `least`. All threads of the block call it; what the others wrote before
/// is then there.
__device__ __forceinline__ void await_count(const unsigned* count, unsigned least) {
  if (threadIdx.x == 0) {
    while (load_relaxed(count) < least) __nanosleep(100);
    __threadfence();
  }
  __syncthreads();
}

/// A block's tiles of a sweep, for which `pass` is planned: one after the other, until none is left.
template <class Policy, class Bits, class Value>
__device__ __forceinline__ void sweep_tiles(const Sweep<Bits, Value>& sweep, const PassPlan& pass) {
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
    const PassPlan plan = passes[pass];
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

/// The sweep over the first portion in pass 0, of the round of all passes over n items with this number.
template <class Bits, class Value>
Sweep<Bits, Value> first_sweep(const Arrays<Bits, Value>& arrays, std::size_t n,
                               const OnesweepSpace<kPasses<Bits>>& space, const Portions& cut,
                               unsigned round) {
  const std::size_t before = round * kPasses<Bits> * cut.portions;
  return {.arrays = arrays,
          .begin = 0,
          .n = n,
          .tiles = static_cast<unsigned>(cut.tiles),
          .pass = 0,
          .portion = 0,
          .portions = static_cast<unsigned>(cut.portions),
          .next_tile = space.d_next_tiles + before,
          .tiles_done = space.d_tiles_done + before,
          .words = space.d_words,
          .plan = space.d_plan,
          .place = nullptr,
          .next_place = nullptr};
}

/// Makes the first sweep one over n items, fewer than it was made for.
template <class Tile, class Bits, class Value>
__device__ __forceinline__ void cut_to(Sweep<Bits, Value>& first, std::size_t n) {
  const std::size_t tiles = (n + Tile::kTile - 1) / Tile::kTile;
  if (tiles < first.tiles) first.tiles = static_cast<unsigned>(tiles);
  first.n = n;
  first.portions = static_cast<unsigned>((tiles + first.tiles - 1) / first.tiles);
}

/// Launches a kernel that calls sweep_all_passes, with as many blocks as fit on the GPU at a time.
template <class Tile, class Bits, class Value, class... Parameters, class... Arguments>
void launch_all_passes(std::string_view name, void (*kernel)(Parameters...), const Portions& cut,
                       cudaStream_t stream, const Arguments&... arguments) {
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early(name, kernel,
               {std::min<std::size_t>(cut.tiles, Tile::kBlocks * sms), Tile::kThreads,
                TileSpace<Tile, Bits, Value>::kBytes},
               stream, arguments...);
}

}  // namespace sortlab::gpu::sweep
