// All passes that are planned in one cooperative kernel: for sorts that as a rule turn out not to need them,
// when it is over at once, where a launch for each pass would take a microsecond each.
#pragma once

#include <cooperative_groups.h>

#include "gpu/primitives/grid/sweep/passes.cuh"

namespace sortlab::gpu::sweep {

/// Does the passes. `first` is the sweep over the first portion in pass 0, whose tiles the others have as
/// well; d_places is where the bins of a portion and of the next go on. The blocks are all resident.
template <class Tile, class Bits, class Value>
__device__ __forceinline__ void sweep_all_passes(const Sweep<Bits, Value>& first, std::size_t n,
                                                 unsigned long long* d_places) {
  __shared__ Sweep<Bits, Value> s_sweep;
  for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
    const PassPlan plan = first.plan->passes[pass];
    if (!plan.is_needed) continue;
    for (unsigned portion = 0; portion < first.portions; ++portion) {
      if (threadIdx.x == 0) {
        const std::size_t most = std::size_t{first.tiles} * Tile::kTile;
        s_sweep = first;
        s_sweep.begin = portion * most;
        s_sweep.n = min(n - s_sweep.begin, most);
        s_sweep.pass = pass;
        s_sweep.portion = portion;
        s_sweep.next_tile = first.next_tile + pass * first.portions + portion;
        s_sweep.place =
            portion == 0 ? first.plan->first_place[pass] : d_places + portion % 2 * kBins;
        s_sweep.next_place = d_places + (portion + 1) % 2 * kBins;
      }
      __syncthreads();
      sweep_tiles<Tile, Blocks::as_fit>(s_sweep, plan);
      cooperative_groups::this_grid().sync();
    }
  }
}

/// The sweep over the first portion in pass 0. Each of the passes has next tiles from `next_tiles` on.
template <class Bits, class Value>
Sweep<Bits, Value> first_sweep(Items<Bits, Value> data, Items<Bits, Value> alternate,
                               KeyMap<Bits> key_map, const OnesweepSpace<kPasses<Bits>>& space,
                               const Portions& cut, unsigned* next_tiles) {
  return {.data = data,
          .alternate = alternate,
          .key_map = key_map,
          .begin = 0,
          .n = 0,
          .tiles = static_cast<unsigned>(cut.tiles),
          .pass = 0,
          .portion = 0,
          .portions = static_cast<unsigned>(cut.portions),
          .next_tile = next_tiles,
          .words = space.d_words,
          .plan = space.d_plan,
          .place = nullptr,
          .next_place = nullptr};
}

/// Launches a kernel that calls sweep_all_passes, with as many blocks as are resident.
template <class Tile, class Bits, class Value, class... Parameters>
void launch_all_passes(std::string_view name, void (*kernel)(Parameters...), const Portions& cut,
                       cudaStream_t stream, Parameters... arguments) {
  constexpr std::size_t kShared = TileSpace<Tile, Bits, Value>::kBytes;
  const auto allowed = allow_shared_bytes(name, kernel, kShared);
  void* all[] = {&arguments...};
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  const std::size_t blocks = std::min<std::size_t>(cut.tiles, Tile::kBlocks * sms);
  check(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                    dim3(Tile::kThreads), all, kShared, stream),
        "launch of " + std::string(name));
}

}  // namespace sortlab::gpu::sweep
