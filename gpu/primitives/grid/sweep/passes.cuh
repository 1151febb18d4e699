// The onesweep from the host's side: the workspace and the launches.
#pragma once

#include <algorithm>

#include "gpu/primitives/grid/relaxed.cuh"
#include "gpu/primitives/grid/sweep/partition_tile.cuh"
#include "gpu/primitives/launch/early.cuh"
#include "gpu/primitives/launch/kernel.cuh"
#include "gpu/primitives/launch/workspace.cuh"

namespace sortlab::gpu::sweep {

/// How n items are cut: tiles into portions, each swept by a launch a pass. The portions of a pass
/// take turns with the same look-back words, kBins for each tile of one, so that the words of all
/// take at most a sixtieth of the items' bytes. Another portion costs as long as a tile takes, in each pass.
/// measured: u32+u32, 64 million, ms: 2.38 (one portion) vs 2.44 (two); H100, h100/attempts/sweeps.1.txt
struct Portions {
  // The sorts' own tiles then need one portion.
  static constexpr std::size_t kItemBytesAWordByte = 60;
  static constexpr std::size_t kFewTiles = 2048;  // 2 MB of words: not worth another launch
  static constexpr std::size_t kMostItems = TileWords::kCount;

  std::size_t tiles;  // in each portion but the last, which may end early
  std::size_t portions;

  Portions(std::size_t n, std::size_t item_bytes, unsigned tile_items,
           std::size_t few = kFewTiles) {
    const std::size_t all = ceil_div(n, std::size_t{tile_items});
    const std::size_t fit = n * item_bytes / kItemBytesAWordByte / (kBins * sizeof(unsigned));
    const std::size_t most = std::min(std::max(fit, few), kMostItems / tile_items);
    tiles = ceil_div(all, std::max<std::size_t>(1, ceil_div(all, most)));
    portions = tiles == 0 ? 0 : ceil_div(all, tiles);
  }
};

/// The parts of the workspace, for a sort of keys with kPassCount digits.
template <unsigned kPassCount>
struct OnesweepSpace {
  // Cleared before the first kernel: the plan, and the next tile of each launch, and how many are done.
  Plan<kPassCount>* d_plan;
  unsigned* d_next_tiles;  // for each round of all passes
  unsigned* d_tiles_done;  // the same
  std::size_t cleared_bytes;
  // The rest is cleared on the device, or written before it is read.
  unsigned* d_words;
  unsigned long long* d_places;  // where a portion's bins begin: of this portion and of the next
  std::size_t bytes;

  OnesweepSpace(std::byte* base, const Portions& cut, unsigned rounds = 1) {
    Layout layout(base);
    d_plan = layout.take<Plan<kPassCount>>(1);
    d_next_tiles = layout.take<unsigned>(rounds * kPassCount * cut.portions);
    d_tiles_done = layout.take<unsigned>(rounds * kPassCount * cut.portions);
    cleared_bytes = layout.bytes();
    d_words = layout.take<unsigned>(cut.tiles * kBins);
    d_places = layout.take<unsigned long long>(2 * kBins);
    bytes = layout.bytes();
  }
};

template <class Job>
auto arrays_of(const Job& job) {
  return Arrays<BitsOf<typename Job::Key>, typename Job::Value>{
      as_bits(job.data), as_bits(job.data), as_bits(job.alternate),
      key_map_of<typename Job::Key, Job::kOrder>()};
}

/// The blocks that count and plan n items: one an SM, or fewer if there are few keys for a thread.
inline std::size_t plan_blocks(std::size_t n) {
  constexpr std::size_t kKeysAThread = 8;
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  return std::min(sms, ceil_div(n, kPlanThreads * kKeysAThread));
}

/// Launches a kernel that calls count_and_plan, with the arguments for this and further ones.
template <class Bits, class Value, class... Parameters, class... Arguments>
void launch_plan(std::string_view name, void (*kernel)(Parameters...), std::size_t shared_bytes,
                 const Arrays<Bits, Value>& arrays, std::size_t n,
                 const OnesweepSpace<kPasses<Bits>>& space, const Portions& cut,
                 cudaStream_t stream, const Arguments&... arguments) {
  check(cudaMemsetAsync(space.d_plan, 0, space.cleared_bytes, stream), "cudaMemsetAsync");
  // Not early: when it begins, the counters of tiles have to be zero.
  launch(name, kernel, {plan_blocks(n), kPlanThreads, shared_bytes}, stream, arrays.source.keys,
         arrays.has_own_source(), arrays.key_map, n, space.d_plan,
         reinterpret_cast<uint4*>(space.d_words), cut.tiles * kBins / 4, arguments...);
}

/// Of items of so many bytes in all, more stay in the L2 cache (50 MB) from pass to pass if it drops first what
/// a pass has read. With more items a pass is slower then. Keys of 4 bytes gain at most 1 %.
/// measured: 4 million, us: u32+u32 172 vs 187, u64 279 vs 302, u64+u32 430 vs 454; 16 million: 637 vs 630,
/// 1113 vs 1060, 1753 vs 1696; H100, h100/attempts/l2.1.txt
constexpr std::size_t kMostBytesDropped = std::size_t{48} << 20;

/// Does the passes that are planned, a launch for each.
template <class Policy, class Bits, class Value>
void launch_passes(const Arrays<Bits, Value>& arrays, std::size_t n,
                   const OnesweepSpace<kPasses<Bits>>& space, const Portions& cut,
                   cudaStream_t stream) {
  constexpr std::size_t kItemBytes = sizeof(Bits) + kValueBytes<Value>;
  auto* kernel = partition_tiles<Policy, Bits, Value>;
  if constexpr (kItemBytes > 4) {
    if (n <= kMostBytesDropped / kItemBytes) {
      kernel = partition_tiles<typename Policy::DropsRead, Bits, Value>;
    }
  }
  for (unsigned pass = 0; pass < kPasses<Bits>; ++pass) {
    for (unsigned portion = 0; portion < cut.portions; ++portion) {
      const std::size_t most = cut.tiles * Policy::kTile;
      const std::size_t begin = portion * most;
      unsigned long long* const place =
          portion == 0 ? space.d_plan->first_place[pass] : space.d_places + portion % 2 * kBins;
      // Also for a shorter last portion as many tiles as for the others: each writes its words in
      // each sweep, as those of the sweep before the last bear the tag of this one.
      const Sweep<Bits, Value> sweep{
          .arrays = arrays,
          .begin = begin,
          .n = std::min(n - begin, most),
          .tiles = static_cast<unsigned>(cut.tiles),
          .pass = pass,
          .portion = portion,
          .portions = static_cast<unsigned>(cut.portions),
          .next_tile = space.d_next_tiles + pass * cut.portions + portion,
          .tiles_done = nullptr,
          .words = space.d_words,
          .plan = space.d_plan,
          .place = place,
          .next_place = space.d_places + (portion + 1) % 2 * kBins};
      launch_early("partition_tiles", kernel,
                   {cut.tiles, Policy::kThreads, TileSpace<Policy, Bits, Value>::kBytes}, stream,
                   sweep);
    }
  }
}

/// Brings the result home if it is not there.
template <class Bits, class Value>
void launch_copy_home(const Arrays<Bits, Value>& arrays, std::size_t n,
                      const OnesweepSpace<kPasses<Bits>>& space, cudaStream_t stream) {
  const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
  launch_early("copy_home", copy_home<Bits, Value>,
               {std::min(2 * sms, ceil_div(n, kCopyThreads)), kCopyThreads}, stream, arrays, n,
               space.d_plan);
}

/// Sorts the items of `source`; the result is in `data`.
template <class Policy, class Bits, class Value>
void sort_in_sweeps(const Arrays<Bits, Value>& arrays, std::size_t n,
                    const OnesweepSpace<kPasses<Bits>>& space, const Portions& cut,
                    cudaStream_t stream) {
  constexpr std::size_t kMostBytes = Policy::kMostCounterBytes;
  launch_plan("plan_sort", plan_sort<Bits, kMostBytes>, BinCounters<Bits, kMostBytes>::kBytes,
              arrays, n, space, cut, stream);
  launch_passes<Policy>(arrays, n, space, cut, stream);
  launch_copy_home(arrays, n, space, stream);
}

// All passes that are planned in one launch: for sorts that as a rule turn out not to need them, when it is
// over at once, where a launch for each pass would take a microsecond each.
//
//     a block    takes a tile of the pass, the next one, ...    until none is left
//                waits until all tiles of the pass are done     and goes on with the next pass
//
// Each tile that a block waits for has been taken by a block that runs. So the blocks need not all be on the
// GPU at the same time: unlike those of a cooperative launch, they may start early (launch/early.cuh).

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
