// What a sort falls back on where it finds that the keys are too uneven for it: the passes of the onesweep, in launches
// that are over at once if they are not needed. The items are still as they were given.
// Of keys alone, one that most items are is taken out before (common_key.cuh).
#pragma once

#include "gpu/primitives/grid/sweep/common_key.cuh"
#include "gpu/primitives/grid/sweep/tiles.cuh"

namespace sortlab::gpu::sweep {

/// The workspace of a fall-back, and its cut into portions.
template <class Bits, class Value = NoValue>
struct FallBack {
  using Space = OnesweepSpace<kPasses<Bits>>;
  Portions portions;
  Space space;

  FallBack(std::size_t n, std::byte* workspace)
      : portions(with_tile<Bits, Value>(
            n, [&]<class Tile>(
                   Tile) { return Portions(n, sizeof(Bits) + kValueBytes<Value>, Tile::kTile); })),
        space(workspace, portions) {}

  /// What has to be zero where the sweeps are needed.
  unsigned* cleared() const { return reinterpret_cast<unsigned*>(space.d_plan); }
  unsigned cleared_words() const {
    return static_cast<unsigned>(space.cleared_bytes / sizeof(unsigned));
  }
};

/// What kernels do for the sweeps of a fall-back before and after them. Before, the memory of cleared() must be zero.
template <class Bits, class Value = NoValue>
struct AroundSweeps {
  static constexpr std::size_t kBytes = BinCounters<Bits>::kBytes;
  Arrays<Bits, Value> arrays;
  std::size_t n;
  Plan<kPasses<Bits>>* plan;
  uint4* words;
  std::size_t word_vectors;

  AroundSweeps(const FallBack<Bits, Value>& it, const Arrays<Bits, Value>& arrays, std::size_t n)
      : arrays(arrays),
        n(n),
        plan(it.space.d_plan),
        words(reinterpret_cast<uint4*>(it.space.d_words)),
        word_vectors(it.portions.tiles * kBins / 4) {}

  /// Of keys alone. All blocks of the grid call it, of kPlanThreads threads and kBytes of dynamic shared memory.
  __device__ __forceinline__ void count_and_plan() const {
    if (!sweep::count_and_plan(arrays.source.keys, arrays.has_own_source(), arrays.key_map, n, plan,
                               words, word_vectors)) {
      return;
    }
    __syncthreads();
    if (threadIdx.x == 0) plan_common_key<Bits>(*plan, n);
  }
  /// All blocks of a grid call it after the sweeps.
  __device__ __forceinline__ void bring_home() const {
    sweep::bring_home(arrays, n, plan->ends_in, arrays.data);
  }
};

/// Sorts the items if they have a common key. The passes behind must not start before this one ends: their counters were
/// made zero by a kernel in front of this one (partition_tiles).
template <class Tile, class Bits>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    sweep_others(__grid_constant__ const Sweep<Bits, NoValue> first, unsigned long long* d_places) {
  await_previous_kernel_alone();
  if (first.plan->has_common_key) sort_by_common_key<Tile>(first, d_places);
}

/// Does the planned sweeps, after which a kernel calls AroundSweeps::bring_home. None are planned if the memory of
/// cleared() is zero.
template <class Bits>
void launch_sweeps(const FallBack<Bits>& it, const Arrays<Bits, NoValue>& arrays, std::size_t n,
                   cudaStream_t stream) {
  const auto first = first_sweep(arrays, n, it.space, it.portions, 0);
  with_tile<Bits, NoValue>(n, [&]<class Tile>(Tile) {
    launch_all_passes<Tile, Bits, NoValue>("sweep_others", sweep_others<Tile, Bits>, it.portions,
                                           stream, first, it.space.d_places);
    launch_passes<Tile>(arrays, n, it.space, it.portions, stream);
  });
}

/// Sorts the items by sweeps in any case.
template <class Bits>
void sweep_alone(const FallBack<Bits>& it, const Arrays<Bits, NoValue>& arrays, std::size_t n,
                 cudaStream_t stream) {
  with_tile<Bits, NoValue>(
      n, [&]<class Tile>(Tile) { sort_in_sweeps<Tile>(arrays, n, it.space, it.portions, stream); });
}

}  // namespace sortlab::gpu::sweep
