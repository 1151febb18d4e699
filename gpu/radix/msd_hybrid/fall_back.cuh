// What an MSD sort falls back on when keys are so uneven that many levels would be needed: the passes
// of the onesweep (sweep/all_passes.cuh), all in one cooperative kernel, which is over at once if
// they are not needed. The keys are still as they were given.
#pragma once

#include "gpu/primitives/grid/sweep/all_passes.cuh"

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

/// All passes, and the result brought home. See sweep_all_passes.
template <class Tile, class Bits>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    sweep_all(const unsigned* is_needed, sweep::Sweep<Bits, NoValue> first, std::size_t n,
              unsigned long long* d_places) {
  if (!*is_needed) return;
  sweep::sweep_all_passes<Tile>(first, n, d_places);
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
  const auto first = sweep::first_sweep<Bits, NoValue>(
      {data, {}}, {alternate, {}}, key_map, it.space, it.portions, it.space.d_next_tiles);
  sweep::launch_all_passes<Tile, Bits, NoValue>("sweep_all", &sweep_all<Tile, Bits>, it.portions,
                                                stream, is_needed, first, n, it.space.d_places);
}

}  // namespace sortlab::gpu::radix::msd_hybrid
