// What a sort falls back on where it finds that the keys are too uneven for it: the passes of the onesweep, in launches
// that are over at once if they are not needed. The items are still as they were given.
#pragma once

#include "gpu/primitives/grid/sweep/all_passes.cuh"
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

  AroundSweeps() = default;
  AroundSweeps(const FallBack<Bits, Value>& it, const Arrays<Bits, Value>& arrays, std::size_t n)
      : arrays(arrays),
        n(n),
        plan(it.space.d_plan),
        words(reinterpret_cast<uint4*>(it.space.d_words)),
        word_vectors(it.portions.tiles * kBins / 4) {}

  /// All blocks of a grid call it, of kPlanThreads threads and kBytes of shared memory. Whether this one has planned.
  __device__ __forceinline__ bool count_and_plan() const {
    return sweep::count_and_plan(arrays.source.keys, arrays.has_own_source(), arrays.key_map, n,
                                 plan, words, word_vectors);
  }
  /// All blocks of a grid call it after the sweeps.
  __device__ __forceinline__ void bring_home() const {
    sweep::bring_home(arrays, n, plan->ends_in, arrays.data);
  }
};

/// Sorts the items by sweeps in any case.
template <class Bits>
void sweep_alone(const FallBack<Bits>& it, const Arrays<Bits, NoValue>& arrays, std::size_t n,
                 cudaStream_t stream) {
  with_tile<Bits, NoValue>(
      n, [&]<class Tile>(Tile) { sort_in_sweeps<Tile>(arrays, n, it.space, it.portions, stream); });
}

}  // namespace sortlab::gpu::sweep
