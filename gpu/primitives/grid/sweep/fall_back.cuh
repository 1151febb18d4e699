// What a sort falls back on where it finds that the keys are too uneven for it: the passes of the onesweep, in launches
// that are over at once if they are not needed. The items are still as they were given.
// Of keys alone, one that most items are is taken out before.
#pragma once

#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/grid/relaxed.cuh"
#include "gpu/primitives/grid/sweep/passes.cuh"
#include "gpu/primitives/grid/sweep/tiles.cuh"

namespace sortlab::gpu::sweep {

// A key that most items are, taken out of the sort: the other keys alone are swept.
//
//     data         [ 0 0 7 0 0 0 3 0 9 0 0 0 ]     the others go to the alternate array, in any order
//     alternate    [ 7 3 9 ]                       sorted by the passes, between the two arrays
//     data         [ 0 0 0 0 0 0 0 0 0 3 7 9 ]     all in order: those below, the common key, those above
//
// The plan's counts tell that there is such a key, without another read: each pass has a bin that most keys are in,
// and at most so many keys differ from the key of these digits as these bins miss in all.
// measured: u32, 95 % of one value (p5), us: 4 million keys 97 (this) vs 118 (all keys swept), 16 million 198 vs 358,
// 128 million 874 vs 2114; H200, common_key.1.txt
// For keys alone. Source: our own.

/// The others are few: less than this part of all.
constexpr unsigned kFewOthers = 4;

/// The ordered bits of a key that has the heaviest digit of each pass.
template <class Bits>
__device__ __forceinline__ Bits common_bits_of(const Plan<kPasses<Bits>>& plan) {
  Bits bits = 0;
  for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
    bits |= Bits{plan.passes[pass].heavy_bin} << (pass * kDigitBits);
  }
  return bits;
}

/// Whether three quarters of n items or more are one key, by the plan's counts.
template <class Bits>
__device__ __forceinline__ bool has_common_key(const Plan<kPasses<Bits>>& plan, std::size_t n) {
  unsigned long long missed = 0;
  for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
    const unsigned bin = plan.passes[pass].heavy_bin;
    if (bin == kBins) return false;
    missed += n - __ldcg(&plan.counts[pass][bin]);
  }
  const bool is_in_order = plan.ends_in == EndsIn::source;
  return !is_in_order && missed < n / kFewOthers;
}

/// Takes a common key out of the plan, if there is one: no pass is needed then but those over the others, and the result
/// will be in the data. One thread.
template <class Bits>
__device__ __forceinline__ void plan_common_key(Plan<kPasses<Bits>>& plan, std::size_t n) {
  if (!has_common_key<Bits>(plan, n)) return;
  for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
    plan.passes_over_others |= unsigned{plan.passes[pass].is_needed} << pass;
    plan.passes[pass].is_needed = false;
  }
  plan.ends_in = EndsIn::data;
  plan.has_common_key = 1;
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

/// Sorts the items of the sweep, of which the plan says that they have a common key. All blocks of the grid call it.
template <class Tile, class Bits>
__device__ __forceinline__ void sort_by_common_key(const Sweep<Bits, NoValue>& all,
                                                   unsigned long long* d_places) {
  // Smaller tiles, as the others would be few of the larger ones; and not more of them than of all items.
  using Small = TilePolicy<typename Tile::Rank, Tile::kThreads,
                           (Tile::kItems + kFewOthers - 1) / kFewOthers, Tile::kBlocks>;
  __shared__ Sweep<Bits, NoValue> s_others;
  __shared__ PassPlan s_passes[kPasses<Bits>];
  auto& plan = *all.plan;
  const Bits common = common_bits_of<Bits>(plan);
  part_common_key<Tile::kThreads>(all.arrays, all.n, common, plan);
  if (threadIdx.x == 0) {
    plan_for_others(plan.passes_over_others, plan.passes, s_passes);
    s_others = all;
    cut_to<Small>(s_others, __ldcg(&plan.others));
  }
  __syncthreads();
  sweep_all_passes<Small>(s_others, s_passes, d_places);
  join_common_key(all.arrays, all.n, common, plan);
}

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

  /// All blocks of a grid call it, of kPlanThreads threads and kBytes of shared memory. Says whether this one has planned.
  __device__ __forceinline__ bool count_and_plan() const {
    return sweep::count_and_plan(arrays.source.keys, arrays.has_own_source(), arrays.key_map, n,
                                 plan, words, word_vectors);
  }
  /// The same for keys alone, of which one that most are is taken out.
  __device__ __forceinline__ void plan_with_common_key() const {
    if (!count_and_plan()) return;
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
