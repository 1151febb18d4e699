// What an MSD sort falls back on when keys are so uneven that many levels would be needed: the passes
// of the onesweep (sweep/passes.cuh), all in one cooperative kernel, which is over at once if
// they are not needed. The keys are still as they were given.
#pragma once

#include <cooperative_groups.h>

#include "gpu/primitives/grid/sweep/passes.cuh"

namespace sortlab::gpu::radix::msd_hybrid {

template <class Bits>
using SweepTile = sweep::TilePolicy<sweep::ByAtomics, 512, sizeof(Bits) == 4 ? 31 : 15, 2>;

template <class Bits>
struct FallBack {
  using Tile = SweepTile<Bits>;
  using Space = sweep::OnesweepSpace<sweep::kPasses<Bits>>;
  sweep::Portions portions;
  Space space;

  FallBack(std::size_t n, std::byte* workspace)
      : portions(n, sizeof(Bits), Tile::kTile), space(workspace, portions) {}
};

template <class Bits>
__global__ void __launch_bounds__(sweep::kPlanThreads, 1)
    plan_sweeps(const unsigned* is_needed, const Bits* keys, KeyMap<Bits> key_map, std::size_t n,
                sweep::Plan<sweep::kPasses<Bits>>* plan, uint4* words, std::size_t word_vectors) {
  if (*is_needed) sweep::count_and_plan(keys, key_map, n, plan, words, word_vectors);
}

/// All passes. `first` is the sweep over the first portion in pass 0, whose tiles the others have
/// as well; d_places is where the bins of a portion and of the next go on.
template <class Tile, class Bits>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    sweep_all(const unsigned* is_needed, sweep::Sweep<Bits, NoValue> first, std::size_t n,
              unsigned long long* d_places) {
  if (!*is_needed) return;
  __shared__ sweep::Sweep<Bits, NoValue> s_sweep;
  for (unsigned pass = 0; pass < sweep::kPasses<Bits>; ++pass) {
    const sweep::PassPlan plan = first.plan->passes[pass];
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
            portion == 0 ? first.plan->first_place[pass] : d_places + portion % 2 * sweep::kBins;
        s_sweep.next_place = d_places + (portion + 1) % 2 * sweep::kBins;
      }
      __syncthreads();
      sweep::sweep_tiles<Tile, sweep::Blocks::as_fit>(s_sweep, plan);
      cooperative_groups::this_grid().sync();
    }
  }
  if (!first.plan->ends_in_alternate) return;
  const std::size_t threads = std::size_t{gridDim.x} * Tile::kThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * Tile::kThreads + threadIdx.x; i < n;
       i += threads) {
    first.data.keys[i] = first.alternate.keys[i];
  }
}

/// Sorts the keys by sweeps if *is_needed. What space.cleared_bytes covers is zero.
template <class Bits>
void launch_fall_back(const FallBack<Bits>& it, const unsigned* is_needed, Bits* data,
                      Bits* alternate, KeyMap<Bits> key_map, std::size_t n, std::size_t sms,
                      cudaStream_t stream) {
  using Tile = typename FallBack<Bits>::Tile;
  constexpr std::size_t kKeysAPlanThread = 16;
  launch("plan_sweeps", plan_sweeps<Bits>,
         {std::min(sms, ceil_div(n, sweep::kPlanThreads * kKeysAPlanThread)), sweep::kPlanThreads,
          sweep::BinCounters<Bits>::kBytes},
         stream, is_needed, data, key_map, n, it.space.d_plan,
         reinterpret_cast<uint4*>(it.space.d_words), it.portions.tiles * sweep::kBins / 4);
  sweep::Sweep<Bits, NoValue> first{.data = {data, {}},
                                    .alternate = {alternate, {}},
                                    .key_map = key_map,
                                    .begin = 0,
                                    .n = 0,
                                    .tiles = static_cast<unsigned>(it.portions.tiles),
                                    .pass = 0,
                                    .portion = 0,
                                    .portions = static_cast<unsigned>(it.portions.portions),
                                    .next_tile = it.space.d_next_tiles,
                                    .words = it.space.d_words,
                                    .plan = it.space.d_plan,
                                    .place = nullptr,
                                    .next_place = nullptr};
  auto* const kernel = &sweep_all<Tile, Bits>;
  constexpr std::size_t kShared = sweep::TileSpace<Tile, Bits, NoValue>::kBytes;
  const auto allowed = allow_shared_bytes("sweep_all", kernel, kShared);
  void* arguments[] = {&is_needed, &first, &n,
                       const_cast<unsigned long long**>(&it.space.d_places)};
  const std::size_t blocks = std::min<std::size_t>(it.portions.tiles, Tile::kBlocks * sms);
  check(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)),
                                    dim3(Tile::kThreads), arguments, kShared, stream),
        "cudaLaunchCooperativeKernel");
}

}  // namespace sortlab::gpu::radix::msd_hybrid
