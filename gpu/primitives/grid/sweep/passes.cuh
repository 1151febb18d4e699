// The onesweep from the host's side: the workspace and the launches.
#pragma once

#include <algorithm>

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

}  // namespace sortlab::gpu::sweep
