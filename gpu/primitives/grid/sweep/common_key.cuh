// A key that most items are, taken out of the sort: the other keys alone are swept.
//
//     data         [ 0 0 7 0 0 0 3 0 9 0 0 0 ]     the others go to the alternate array, in any order
//     alternate    [ 7 3 9 ]                       sorted by the passes, between the two arrays
//     data         [ 0 0 0 0 0 0 0 0 0 3 7 9 ]     all in order: those below, the common key, those above
//
// measured: u32, 95 % of one value (p5), us: 4 million keys 97 (this) vs 118 (all keys swept), 16 million 198 vs 358,
// 128 million 874 vs 2114; H200, common_key.1.txt.xz
// For keys alone. Source: our own.
#pragma once

#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/grid/relaxed.cuh"
#include "gpu/primitives/grid/sweep/all_passes.cuh"

namespace sortlab::gpu::sweep {

/// Makes the first sweep one over n items, fewer than it was made for.
template <class Tile, class Bits, class Value>
__device__ __forceinline__ void cut_to(Sweep<Bits, Value>& first, std::size_t n) {
  const std::size_t tiles = (n + Tile::kTile - 1) / Tile::kTile;
  if (tiles < first.tiles) first.tiles = static_cast<unsigned>(tiles);
  first.n = n;
  first.portions = static_cast<unsigned>((tiles + first.tiles - 1) / first.tiles);
}

/// The ordered bits of a key that has the heaviest digit of each pass.
template <class Bits>
__device__ __forceinline__ Bits common_bits_of(const Plan<kPasses<Bits>>& plan) {
  Bits bits = 0;
  for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
    bits |= Bits{plan.passes[pass].heavy_bin} << (pass * kDigitBits);
  }
  return bits;
}

/// The passes over the keys that are not the common one. These lie in the alternate array as ordered bits, and are to be
/// there again at the end: so the passes are an even number.
template <unsigned kPassCount>
__device__ __forceinline__ void plan_for_others(unsigned needed, const PassPlan (&all)[kPassCount],
                                                PassPlan (&passes)[kPassCount]) {
  unsigned missing = __popc(needed) % 2;
  unsigned sweep = 0;
  for (unsigned pass = 0; pass < kPassCount; ++pass) {
    bool is_needed = needed >> pass & 1;
    if (!is_needed && missing > 0) {
      is_needed = true;
      --missing;
    }
    passes[pass] = {.is_needed = is_needed,
                    .is_first = false,
                    .is_last = false,
                    .from_alternate = sweep % 2 == 0,
                    .sweep = sweep,
                    .first_shift = all[pass].first_shift,
                    .heavy_bin = kBins};
    sweep += is_needed;
  }
}

/// Writes the other keys of a tile to the alternate array, where there is room next, and counts them.
template <unsigned kThreads, unsigned kItems, class Bits>
__device__ __forceinline__ void part_tile(const Arrays<Bits, NoValue>& arrays, std::size_t n,
                                          Bits common, unsigned tile, Plan<kPasses<Bits>>& plan) {
  constexpr unsigned kHalf = 16;  // bits: of the others, and of those below
  static_assert(kThreads * kItems < 1u << kHalf);
  __shared__ unsigned s_sums[kThreads / kWarp];
  __shared__ unsigned long long s_room;
  const std::size_t first = std::size_t{tile} * (kThreads * kItems) + threadIdx.x;
  Bits key[kItems];
  unsigned mine = 0;
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    const std::size_t p = first + i * kThreads;
    key[i] = p < n ? arrays.key_map.ordered(arrays.source.keys[p]) : common;
  }
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    mine += unsigned{key[i] != common} + (unsigned{key[i] < common} << kHalf);
  }
  unsigned all;
  const unsigned before = block_exclusive_scan<kThreads>(mine, &all, s_sums);
  if (threadIdx.x == 0) {
    s_room = atomicAdd(&plan.others, static_cast<unsigned long long>(all & 0xffff));
    atomicAdd(&plan.below, static_cast<unsigned long long>(all >> kHalf));
  }
  __syncthreads();
  Bits* to = arrays.alternate.keys + s_room + (before & 0xffff);
#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (key[i] != common) *to++ = key[i];
  }
}

/// Takes the places of the common key's items out of the plan: bins that begin behind its own begin earlier. One block.
template <class Bits>
__device__ __forceinline__ void take_from_plan(std::size_t n, Bits common,
                                               Plan<kPasses<Bits>>& plan) {
  const unsigned long long taken_out = n - __ldcg(&plan.others);
  for (unsigned i = threadIdx.x; i < kPasses<Bits> * kBins; i += blockDim.x) {
    const unsigned pass = i / kBins;
    const unsigned bin = i % kBins;
    unsigned long long* const place = plan.first_place[pass];
    if (place[bin] > place[digit_at(common, pass * kDigitBits)]) place[bin] -= taken_out;
  }
}

/// Parts all n items. All blocks of the grid call it, and leave it when all is done. The keys that are left are
/// plan.others, of which plan.below lie below the common one.
template <unsigned kThreads, class Bits>
__device__ __forceinline__ void part_common_key(const Arrays<Bits, NoValue>& arrays, std::size_t n,
                                                Bits common, Plan<kPasses<Bits>>& plan) {
  constexpr unsigned kItems = 16;
  __shared__ unsigned s_tile;
  __shared__ bool s_is_last;
  const auto tiles = static_cast<unsigned>((n + kThreads * kItems - 1) / (kThreads * kItems));
  unsigned taken = 0;
  for (;; ++taken) {
    if (threadIdx.x == 0) s_tile = atomicAdd(&plan.parts_taken, 1u);
    __syncthreads();
    const unsigned tile = s_tile;
    if (tile >= tiles) break;
    part_tile<kThreads, kItems>(arrays, n, common, tile, plan);
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    s_is_last = taken > 0 && atomicAdd(&plan.parts_done, taken) + taken == tiles;
  }
  __syncthreads();
  if (s_is_last) {
    __threadfence();
    take_from_plan(n, common, plan);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) store_relaxed(&plan.is_parted, 1);
  }
  await_count(&plan.is_parted, 1);
}

/// All n items in order, from the other keys in the alternate array.
template <class Bits>
__device__ __forceinline__ void join_common_key(const Arrays<Bits, NoValue>& arrays, std::size_t n,
                                                Bits common, const Plan<kPasses<Bits>>& plan) {
  const std::size_t taken_out = n - __ldcg(&plan.others);
  const std::size_t below = __ldcg(&plan.below);
  const Bits common_key = arrays.key_map.key(common);
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    const bool is_above = i >= below + taken_out;
    arrays.data.keys[i] =
        i < below || is_above
            ? arrays.key_map.key(__ldcg(&arrays.alternate.keys[is_above ? i - taken_out : i]))
            : common_key;
  }
}

/// Tiles of the other keys. Smaller ones, as large tiles would be too few to keep the GPU busy. Not more of them than of all
/// items, as the counters have room for no more: no tile of with_tile() is larger than a LargeTile (Sweeps asserts it).
template <class Bits>
using OtherTile = Tile<512, (LargeTile<Bits, NoValue>::kItems + kFewOthers - 1) / kFewOthers, 2>;

/// Sorts items whose plan has a common key. All blocks of the grid call it. Not
/// inlined: the kernel would need more registers for keys that have none.
template <class Bits>
__device__ __noinline__ void sort_by_common_key(const Sweep<Bits, NoValue>& all,
                                                unsigned long long* d_places) {
  using Tile = OtherTile<Bits>;
  __shared__ Sweep<Bits, NoValue> s_others;
  __shared__ PassPlan s_passes[kPasses<Bits>];
  auto& plan = *all.plan;
  const Bits common = common_bits_of<Bits>(plan);
  part_common_key<Tile::kThreads>(all.arrays, all.n, common, plan);
  if (threadIdx.x == 0) {
    plan_for_others(plan.passes_over_others, plan.passes, s_passes);
    s_others = all;
    cut_to<Tile>(s_others, __ldcg(&plan.others));
  }
  __syncthreads();
  sweep_all_passes<Tile>(s_others, s_passes, d_places);
  join_common_key(all.arrays, all.n, common, plan);
}

/// The last step of a sort by sweeps over keys alone, for the kernel behind them.
template <class Bits>
struct AfterSweeps {
  static constexpr unsigned kThreads = OtherTile<Bits>::kThreads;
  static constexpr std::size_t kBytes = TileSpace<OtherTile<Bits>, Bits, NoValue>::kBytes;
  Sweep<Bits, NoValue> others;
  unsigned long long* d_places;

  AfterSweeps(const Sweeps<Bits, NoValue>& it, const Arrays<Bits, NoValue>& arrays)
      : others(first_sweep(arrays, it)), d_places(it.space.d_places) {}

  /// Sorts the other keys if a common one has been taken out, else brings the keys home. All blocks of a grid call it, of
  /// kThreads threads and kBytes of shared memory.
  __device__ __forceinline__ void finish() const {
    if (others.plan->has_common_key) {
      sort_by_common_key(others, d_places);
    } else {
      bring_home(others.arrays, others.n, others.plan->ends_in, others.arrays.data);
    }
  }
};

}  // namespace sortlab::gpu::sweep
