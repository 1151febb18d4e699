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

/// The sweeps of a fall-back, to be planned. Before, the memory of cleared() must be zero.
template <class Bits>
struct SweepsToPlan {
  static constexpr unsigned kThreads = kPlanThreads;
  static constexpr std::size_t kBytes = BinCounters<Bits>::kBytes;
  const Bits* keys;
  bool has_own_source;
  KeyMap<Bits> key_map;
  std::size_t n;
  Plan<kPasses<Bits>>* plan;
  uint4* words;
  std::size_t word_vectors;

  template <class Tile>
  SweepsToPlan(const FallBack<Tile, Bits>& it, const Arrays<Bits, NoValue>& arrays, std::size_t n)
      : keys(arrays.source.keys),
        has_own_source(arrays.has_own_source()),
        key_map(arrays.key_map),
        n(n),
        plan(it.space.d_plan),
        words(reinterpret_cast<uint4*>(it.space.d_words)),
        word_vectors(it.portions.tiles * kBins / 4) {}

  /// All blocks of the grid call it, of kThreads threads and kBytes of dynamic shared memory.
  __device__ __forceinline__ void count_and_plan() const {
    sweep::count_and_plan(keys, has_own_source, key_map, n, plan, words, word_vectors);
  }
};

template <class Bits>
__global__ void __launch_bounds__(kPlanThreads, 1)
    plan_sweeps(const unsigned* is_needed, SweepsToPlan<Bits> sweeps) {
  await_previous_kernel();
  if (*is_needed) sweeps.count_and_plan();
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

/// Plans the sweeps if *is_needed, which a kernel before has written.
template <class Tile, class Bits>
void launch_plan_sweeps(const FallBack<Tile, Bits>& it, const unsigned* is_needed,
                        const Arrays<Bits, NoValue>& arrays, std::size_t n, cudaStream_t stream) {
  using Sweeps = SweepsToPlan<Bits>;
  constexpr std::size_t kKeysAPlanThread = 16;
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("plan_sweeps", plan_sweeps<Bits>,
               {std::min(sms, ceil_div(n, Sweeps::kThreads * kKeysAPlanThread)), Sweeps::kThreads,
                Sweeps::kBytes},
               stream, is_needed, Sweeps(it, arrays, n));
}

/// Sorts the items by the planned sweeps if *is_needed.
template <class Tile, class Bits>
void launch_sweep_all(const FallBack<Tile, Bits>& it, const unsigned* is_needed,
                      const Arrays<Bits, NoValue>& arrays, std::size_t n, cudaStream_t stream) {
  const auto first = first_sweep(arrays, n, it.space, it.portions, 0);
  launch_all_passes<Tile, Bits, NoValue>("sweep_all", sweep_all<Tile, Bits>, it.portions, stream,
                                         is_needed, first, it.space.d_places);
}

}  // namespace sortlab::gpu::sweep
