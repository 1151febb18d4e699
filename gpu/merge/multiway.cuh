// A stable merge sort by a comparison alone: tiles sorted in shared memory, then four runs merged
// into one in each pass over the memory. For keys and values of any types that may be copied
// byte by byte: `sort` at the end is all that a user needs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpu/merge/multiway_pass.cuh"
#include "gpu/merge/multiway_plan.cuh"
#include "gpu/merge/multiway_sort_tiles.cuh"
#include "gpu/primitives/launch.cuh"
#include "gpu/primitives/launch_early.cuh"
#include "gpu/primitives/workspace.cuh"

namespace sortlab::gpu::multiway {

/// The most items for which the blocks find their own cuts: each of a few hundred tiles has a flag.
constexpr std::size_t kSmallCount = std::size_t{1} << 20;
/// The most items for which kernels are launched early.
constexpr std::size_t kMostLaunchedEarly = std::size_t{1} << 18;

/// The workspace: flags, and a cut for each block of a merge.
struct Workspace {
  unsigned* flags;
  Cut* cuts;
  std::size_t bytes;

  template <class P, Cuts kCuts>
  static Workspace of(std::size_t n, std::byte* base) {
    Layout layout(base);
    if constexpr (kCuts == Cuts::by_the_block) {
      auto* const flags = layout.take<unsigned>(ceil_div(n, P::Tile::kCount));
      return {flags, nullptr, layout.bytes()};
    } else {
      // A group's last block may have little to do, and the smallest group has four tiles.
      const std::size_t most_blocks = n / P::kMergedCount + n / (kWays * P::Tile::kCount) + 2;
      auto* const flags = layout.take<unsigned>(1);
      auto* const cuts = layout.take<Cut>(most_blocks);
      return {flags, cuts, layout.bytes()};
    }
  }
};

/// The sort in one shape. The result is in `data` after an even number of passes.
template <class P, Cuts kCuts>
ResultIn sort_in_shape(typename P::Data data, typename P::Data alternate, std::size_t n,
                       std::byte* workspace, cudaStream_t stream) {
  const auto space = Workspace::of<P, kCuts>(n, workspace);
  const std::size_t tiles = ceil_div(n, P::Tile::kCount);
  Unsorted unsorted{space.flags, 1};
  if constexpr (kCuts == Cuts::by_the_block) {
    unsorted.count = static_cast<unsigned>(tiles);
  } else {
    check(cudaMemsetAsync(space.flags, 0, sizeof(unsigned), stream), "cudaMemsetAsync");
  }
  const Launcher start{stream, n <= kMostLaunchedEarly};
  start("sort_tiles", sort_tiles<P>, {tiles, P::kThreads, P::kSharedBytes}, data, n, unsorted);
  std::size_t passes = 0;
  for (std::size_t runs = tiles; runs > 1; runs = ceil_div(runs, kWays)) ++passes;
  std::size_t width = P::Tile::kCount;
  for (std::size_t number = 0; number < passes; ++number, width *= kWays) {
    const auto from = number % 2 == 0 ? data : alternate;
    const auto to = number % 2 == 0 ? alternate : data;
    const Pass pass(n, width, P::kMergedCount);
    const std::size_t blocks = pass.blocks(P::kMergedCount);
    if constexpr (kCuts == Cuts::own_kernel) {
      start("find_cuts", find_cuts<P>, {ceil_div(blocks, kThreadsOfFindCuts), kThreadsOfFindCuts},
            from.keys, pass, blocks, space.cuts, space.flags);
    }
    start("merge_runs", merge_runs<P, kCuts>, {blocks, P::kThreads, P::kSharedBytes}, from, to,
          pass, space.cuts, unsorted, number == 0 && passes % 2 == 1);
  }
  return passes % 2 == 0 ? ResultIn::data : ResultIn::alternate;
}

/// How keys, or pairs with `Value`, are sorted by `Less` alone: the shapes that were the fastest of
/// those tried on an H200 with u32, u64 and, for large inputs, u32 + u32. Others were not timed.
template <class Less, Ties kTies, class Key, class Value = NoValue>
struct PlanFor {
  using Data = Items<Key, Value>;
  static constexpr bool kBigKeys = sizeof(Key) > 8;
  static constexpr bool kOnlySmallKeys =
      sizeof(Key) <= 4 && kTies == Ties::any_order && !Data::kPairs;
  template <class Shape>
  using In = Plan<Less, kTies, Key, Value, Shape>;
  template <bool kFirst, class A, class B>
  using Choose = std::conditional_t<kFirst, A, B>;

  /// u64 and pairs need more registers an item. For 2^27 pairs 16 x 256 is 1.06 times as fast as
  /// 16 x 512 (H200).
  using Other = Choose<kBigKeys, Shape<8, 256, 2>, Shape<16, 256, 4>>;
  /// Many small blocks, as there is not enough work for all SMs in large ones: over 16 x 512, with
  /// 2^16 keys, 1.29 times as fast for u32, 1.44 times for u64 (H200, first version).
  using Small = In<Choose<kOnlySmallKeys, Shape<16, 256, 6>, Other>>;
  /// 32 x 256 is 1.23 times as fast as 16 x 512 for 2^27 u32 (H200).
  using Large = In<Choose<kOnlySmallKeys, Shape<32, 256, 4>, Other>>;
};

/// What `sort` needs for n items, or fewer, by a PlanFor<...>.
template <class P>
std::size_t workspace_bytes(std::size_t n) {
  return std::max(
      Workspace::of<typename P::Small, Cuts::by_the_block>(std::min(n, kSmallCount), nullptr).bytes,
      Workspace::of<typename P::Large, Cuts::own_kernel>(n, nullptr).bytes);
}

/// Sorts `data` by P, a PlanFor<...>; says where the result is.
template <class P>
ResultIn sort(typename P::Data data, typename P::Data alternate, std::size_t n,
              std::byte* workspace, cudaStream_t stream) {
  return n <= kSmallCount ? sort_in_shape<typename P::Small, Cuts::by_the_block>(data, alternate, n,
                                                                                 workspace, stream)
                          : sort_in_shape<typename P::Large, Cuts::own_kernel>(data, alternate, n,
                                                                               workspace, stream);
}

}  // namespace sortlab::gpu::multiway
