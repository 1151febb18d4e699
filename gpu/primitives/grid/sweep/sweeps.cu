// The functions of sweeps.cuh: a unit for each width of keys and values (cmake/variants.cmake).
#include "gpu/primitives/grid/sweep/sweeps.cuh"

#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/grid/relaxed.cuh"
#include "gpu/primitives/grid/sweep/passes.cuh"

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

/// The sweep over the first portion in pass 0, of the round of all passes over n items with this number.
template <class Bits, class Value>
Sweep<Bits, Value> first_sweep(const Arrays<Bits, Value>& arrays, const Sweeps<Bits, Value>& all,
                               unsigned round) {
  const Portions& cut = all.portions;
  const auto& space = all.space;
  const std::size_t before = round * kPasses<Bits> * cut.portions;
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

// A key that most items are, taken out of the sort: the other keys alone are swept.
//
//     data         [ 0 0 7 0 0 0 3 0 9 0 0 0 ]     the others go to the alternate array, in any order
//     alternate    [ 7 3 9 ]                       sorted by the passes, between the two arrays
//     data         [ 0 0 0 0 0 0 0 0 0 3 7 9 ]     all in order: those below, the common key, those above
//
// measured: u32, 95 % of one value (p5), us: 4 million keys 97 (this) vs 118 (all keys swept), 16 million 198 vs 358,
// 128 million 874 vs 2114; H200, common_key.1.txt
// For keys alone. Source: our own.

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

/// Sorts the items if they have a common key.
template <class Tile, class Bits>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    sweep_others(__grid_constant__ const Sweep<Bits, NoValue> first, unsigned long long* d_places) {
  await_previous_kernel();
  if (first.plan->has_common_key) sort_by_common_key<Tile>(first, d_places);
}

/// Does all needed passes, if upper ones have turned out not to be enough.
template <class Tile, class Bits, class Value>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    sweep_again(UpperPasses* upper, __grid_constant__ const Sweep<Bits, Value> first,
                unsigned long long* d_places) {
  await_previous_kernel_alone();
  if (!upper->are_due) return;
  // Each block plans them for itself. What is for later kernels, all write alike.
  __shared__ PassPlan s_passes[kPasses<Bits>];
  if (threadIdx.x == 0) {
    for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) s_passes[pass] = first.plan->passes[pass];
    first.plan->ends_in = set_passes(s_passes, upper->needed, upper->sweeps);
    upper->low_bits = 0;
  }
  __syncthreads();
  sweep_all_passes<Tile>(first, s_passes, d_places);
}

// The functions, with the tiles for n items.

/// Calls use(tile) with the tile for upper passes over n items: a large one, but of few wide pairs.
template <class Bits, class Value, class Use>
auto with_upper_tile(std::size_t n, Use use) {
  if constexpr (sizeof(Bits) == 8 && Items<Bits, Value>::kPairs) {
    return with_tile<Bits, Value>(n, use);
  } else {
    return use(LargeTile<Bits, Value>{});
  }
}
template <class Bits, class Value, class Use>
auto with_tile_of(std::size_t n, bool are_upper, Use use) {
  return are_upper ? with_upper_tile<Bits, Value>(n, use) : with_tile<Bits, Value>(n, use);
}

template <class Bits, class Value>
Sweeps<Bits, Value>::Sweeps(std::size_t n, std::byte* d_workspace, bool are_upper)
    : n(n),
      are_upper(are_upper),
      portions(with_tile_of<Bits, Value>(n, are_upper,
                                         [&]<class Tile>(Tile) {
                                           return Portions(n, sizeof(Bits) + kValueBytes<Value>,
                                                           Tile::kTile);
                                         })),
      space(d_workspace, portions, 2) {}

template <class Bits, class Value>
void Sweeps<Bits, Value>::sort(const Arrays<Bits, Value>& arrays, cudaStream_t stream) const {
  with_tile_of<Bits, Value>(n, are_upper, [&]<class Tile>(Tile) {
    sort_in_sweeps<Tile>(arrays, n, space, portions, stream);
  });
}

template <class Bits, class Value>
void Sweeps<Bits, Value>::sweep(const Arrays<Bits, Value>& arrays, cudaStream_t stream) const {
  with_tile_of<Bits, Value>(n, are_upper, [&]<class Tile>(Tile) {
    launch_passes<Tile>(arrays, n, space, portions, stream);
  });
}

template <class Bits, class Value>
void Sweeps<Bits, Value>::sweep_others(const Arrays<Bits, Value>& arrays, const unsigned* d_at_once,
                                       cudaStream_t stream) const {
  with_tile<Bits, Value>(n, [&]<class Tile>(Tile) {
    launch_passes<Tile>(arrays, n, space, portions, stream, d_at_once != nullptr, d_at_once);
    if constexpr (!Items<Bits, Value>::kPairs) {
      launch_all_passes<Tile, Bits, Value>("sweep_others", sweep::sweep_others<Tile, Bits>,
                                           portions, stream, first_sweep(arrays, *this, 1),
                                           space.d_places);
    }
  });
}

template <class Bits, class Value>
void Sweeps<Bits, Value>::sweep_again(const Arrays<Bits, Value>& arrays, UpperPasses* d_upper,
                                      cudaStream_t stream) const {
  with_upper_tile<Bits, Value>(n, [&]<class Tile>(Tile) {
    launch_all_passes<Tile, Bits, Value>("sweep_again", sweep::sweep_again<Tile, Bits, Value>,
                                         portions, stream, d_upper, first_sweep(arrays, *this, 1),
                                         space.d_places);
  });
}

template struct Sweeps<SORTLAB_UNIT_KEY, SORTLAB_UNIT_VALUE>;

}  // namespace sortlab::gpu::sweep
