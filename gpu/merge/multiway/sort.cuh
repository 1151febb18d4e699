// A stable merge sort by a comparison alone. Few items are sorted in one launch, by a block or by a
// team of blocks (team.cuh); many in tiles, of which passes over the memory merge four into
// one. For keys and values of any types that may be copied byte by byte: `sort` at the end is all
// that a user needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/utils.hpp"
#include "gpu/merge/multiway/pass.cuh"
#include "gpu/merge/multiway/sort_tiles.cuh"
#include "gpu/merge/multiway/team.cuh"
#include "gpu/merge/multiway/walk.cuh"
#include "gpu/primitives/block/merge_sort/plan.cuh"
#include "gpu/primitives/launch/launch.cuh"
#include "gpu/primitives/launch/workspace.cuh"

namespace sortlab::gpu::merge::multiway {

using namespace merge_sort;

/// What the passes need besides the two buffers: a flag, a cut for each block of a merge, samples, and
/// where keys are not compared as they are, which tiles are still as they came.
template <class Key, class Map>
struct PassSpace {
  unsigned* unsorted;
  Cut* cuts;
  Key* samples;
  bool* kept;

  PassSpace(Layout& layout, std::size_t n, std::size_t first_width, unsigned tile)
      : unsorted(layout.take<unsigned>(1)),
        // A group's last block may have little to do, and the smallest group has four tiles.
        cuts(layout.take<Cut>(n / tile + n / (kWays * first_width) + 2)),
        samples(layout.take<Key>(n / kSampled)),
        kept(kMayChange<Map> ? layout.take<bool>(ceil_div(n, first_width)) : nullptr) {}
};

/// Sorts a single tile.
template <class Tiles, class Map>
void sort_one_tile(typename Tiles::Data data, std::size_t n, std::byte* workspace,
                   cudaStream_t stream, Map map, const typename Tiles::State& state) {
  launch("sort_tiles", sort_tiles<Tiles, false, Map, Map>,
         {1, Tiles::kThreads, Tiles::kSharedBytes}, stream, data, n,
         reinterpret_cast<unsigned*>(workspace), nullptr, map, map, nullptr, state);
}

template <class Merges, class Map>
constexpr auto merge_kernel() {
  if constexpr (Merges::kPlaced) {
    return walk_runs<Merges, Map>;
  } else {
    return merge_runs<Merges, Map>;
  }
}

/// The first step: sorts the tiles. The flag then says whether anything was out of order.
template <class Tiles, class Map>
void launch_sort_tiles(typename Tiles::Data data, std::size_t n,
                       const PassSpace<typename Tiles::Key, Map>& space, cudaStream_t stream,
                       Map map, const typename Tiles::State& state) {
  constexpr std::size_t kWidth = Tiles::Tile::kCount;
  constexpr bool kByRanks = Tiles::kPlaced;
  constexpr std::size_t kSharedBytes = kByRanks ? kSharedBytesByRanks<Tiles> : Tiles::kSharedBytes;
  const std::size_t tiles = ceil_div(n, kWidth);
  clear(space.unsorted, sizeof(unsigned), stream);
  launch("sort_tiles", sort_tiles<Tiles, kByRanks, Map, AsTheyAre>,
         {tiles, Tiles::kThreads, kSharedBytes}, stream, data, n, space.unsorted, space.samples,
         map, AsTheyAre{}, space.kept, state);
  if constexpr (kMayChange<Map>) {
    const std::size_t sms = device_attribute(cudaDevAttrMultiProcessorCount);
    launch("order_kept_tiles", order_kept_tiles<kWidth, typename Tiles::Key, Map>,
           {smaller(tiles, kOrderBlocksAnSm * sms), kOrderThreads}, stream, data.keys, n, map,
           space.unsorted, space.kept, tiles);
  }
}

/// How many passes merge `runs` runs into one.
template <class Map>
std::size_t passes_over(std::size_t runs) {
  std::size_t passes = 0;
  for (; runs > 1; runs = ceil_div(runs, kWays)) ++passes;
  return kMayChange<Map> && passes == 0 ? 1 : passes;  // for the keys to become what they were
}

/// Sorts tiles in one shape, and merges them in another. The result is in `data` after an even
/// number of passes. Between the first step and the last pass, keys are what `map` orders them by.
template <class Tiles, class Merges, class Map = AsTheyAre>
ResultIn sort_by_passes(typename Tiles::Data data, typename Tiles::Data alternate, std::size_t n,
                        std::byte* workspace, cudaStream_t stream, Map map = {},
                        const typename Tiles::State& state = {}) {
  constexpr std::size_t kFirstWidth = Tiles::Tile::kCount;
  constexpr unsigned kTile = Merges::kMergedCount;
  Layout layout(workspace);
  const PassSpace<typename Tiles::Key, Map> space(layout, n, kFirstWidth, kTile);
  launch_sort_tiles<Tiles>(data, n, space, stream, map, state);
  const std::size_t passes = passes_over<Map>(ceil_div(n, kFirstWidth));
  std::size_t width = kFirstWidth;
  for (std::size_t number = 0; number < passes; ++number, width *= kWays) {
    const auto from = number % 2 == 0 ? data : alternate;
    const auto to = number % 2 == 0 ? alternate : data;
    const Pass pass(n, width, kTile);
    const std::size_t blocks = pass.blocks(kTile);
    launch_find_cuts<Merges>(from.keys, space.samples, pass, blocks, space.cuts, space.unsorted,
                             state, stream);
    const bool copies_sorted = number == 0 && passes % 2 == 1;
    const bool is_last = number + 1 == passes;
    const auto merge = [&](auto key_map) {
      launch("merge_runs", merge_kernel<Merges, decltype(key_map)>(),
             {blocks, Merges::kThreads, Merges::kSharedBytes}, stream, from, to, pass, space.cuts,
             space.unsorted, copies_sorted, is_last ? nullptr : space.samples, key_map, state);
    };
    is_last ? merge(map) : merge(AsTheyAre{});
  }
  return passes % 2 == 0 ? ResultIn::data : ResultIn::alternate;
}

/// How keys, or pairs with `Value`, are sorted by `Less` alone: the shapes that were the fastest of
/// those tried on an H200 with u32, u64 and u32 + u32. Others were not timed.
template <class Less, Ties kTies, class Key, class Value = NoValue, class MapT = AsTheyAre>
struct PlanFor {
  using Map = MapT;
  using State = typename StateOf<Less>::Type;
  using Data = Items<Key, Value>;
  static constexpr std::size_t kWidest = larger(sizeof(Key), kValueBytes<Value>);
  static constexpr bool kPlaced = kTies == Ties::keep_order || Data::kPairs;
  static constexpr bool kOnlySmallKeys = sizeof(Key) <= 4 && !kPlaced;
  static constexpr InWarp kLanes = InWarp::between_lanes;
  template <class Shape>
  using In = Plan<Less, kTies, Key, Value, Shape>;
  template <bool kFirst, class A, class B>
  using Choose = std::conditional_t<kFirst, A, B>;

  /// Items so wide that little else fits; large ones so wide that smaller blocks are faster.
  /// measured: structs of 40 bytes, us, 131071 and 2^24: 97 and 4662 (4 x 128) vs 119 and 7247
  /// (8 x 256); results/h200/attempts/users_types_shapes.txt
  static constexpr bool kBig = kWidest > 8;
  static constexpr bool kLarge = sizeof(Key) > 24;
  using Big = Choose<kLarge, Shape<4, 128, 4>,
                     Choose<(sizeof(Key) > 8), Shape<8, 256, 2>, Shape<16, 256, 4>>>;

  /// A block alone.
  static constexpr bool kFitsTeam = kWidest <= 48;
  using Small = In<
      Choose<kLarge && kFitsTeam, Shape<2, 512, 1>, Choose<kBig, Big, Shape<16, 256, 4, kLanes>>>>;

  /// Tiles of 8192 items, so that 2^27 are sorted in seven passes.
  /// measured: networks over the lanes of a warp, 2^27, tiles, ms: u32 0.978 (with) vs 1.050, u64, for
  /// which the registers are too few, 2.69 vs 2.68; H200, docs/lab/gpu/merge/multiway.md
  using Tiles =
      In<Choose<kBig, Big, Choose<sizeof(Key) <= 4, Shape<32, 256, 4, kLanes>, Shape<32, 256, 2>>>>;

  /// Small blocks, of which many are at different steps.
  /// measured: 2^27, merges alone, ms: u32 2.56 (32 x 128) vs 2.90 (32 x 256), u64 4.93 (16 x 128) vs
  /// 5.35 (16 x 256); walks of u32+u32 3.86 (17 x 128) vs 4.30 (15 x 256); 2^26 u64+u32 2.97 (13 x 128)
  /// vs 3.35 (17 x 128); H200, merge_multiway.6.txt.xz, .13 and .14
  using MergesByNetworks =
      In<Choose<kBig, Big, Choose<kOnlySmallKeys, Shape<32, 128, 9>, Shape<16, 128, 8>>>>;
  static constexpr std::size_t kItemBytes = sizeof(Key) + kValueBytes<Value>;
  using WalksOfBig = Choose<(kItemBytes > 96), Shape<3, 128, 4>,
                            Choose<(kItemBytes > 24), Shape<7, 128, 4>, Shape<7, 256, 4>>>;
  using WalksOfOthers = Choose<sizeof(Key) <= 4, Shape<17, 128, 9>, Shape<13, 128, 8>>;
  using MergesByWalks = WalkPlan<Less, Key, Value, Choose<kBig, WalksOfBig, WalksOfOthers>>;
  using Merges = Choose<kPlaced, MergesByWalks, MergesByNetworks>;

  /// Teams, in the order of what they hold.
  template <unsigned kBlocks, class Shape>
  using Team = TeamPlan<In<Shape>, kBlocks>;
  using TeamsOfWide =
      TypeList<Team<64, Shape<8, 256, 1, kLanes>>, Team<128, Shape<8, 512, 1, kLanes>>,
               Team<128, Shape<8, 1024, 1, kLanes>>, Team<128, Shape<16, 1024, 1, kLanes>>>;
  using TeamsOfSmall =
      TypeList<Team<64, Shape<8, 256, 1, kLanes>>, Team<128, Shape<16, 512, 1, kLanes>>,
               Team<128, Shape<32, 512, 1, kLanes>>>;
  using TeamsOfBig =
      TypeList<Team<64, Shape<8, 256, 1, kLanes>>, Team<64, Shape<8, 512, 1, kLanes>>>;
  using TeamsOfLarge = TypeList<Team<64, Shape<4, 256, 1>>>;
  using Teams = typename decltype([] {
    if constexpr (kOnlySmallKeys) {
      return std::type_identity<TeamsOfSmall>{};
    } else if constexpr (!kBig) {
      return std::type_identity<TeamsOfWide>{};
    } else if constexpr (kWidest <= 24) {
      return std::type_identity<TeamsOfBig>{};
    } else if constexpr (kLarge && kFitsTeam) {
      return std::type_identity<TeamsOfLarge>{};
    } else {
      return std::type_identity<TypeList<>>{};
    }
  }())::type;
};

/// Asks f about `Teams`, one after the other, until it says yes; whether it does.
template <class... Teams, class F>
bool is_any_of(TypeList<Teams...>, [[maybe_unused]] F f) {
  return (f(std::type_identity<Teams>{}) || ...);
}

/// What `sort` needs for n items by a PlanFor<...>.
template <class P>
std::size_t workspace_bytes(std::size_t n) {
  Layout for_passes;
  PassSpace<typename P::Tiles::Key, typename P::Map>(for_passes, n, P::Tiles::Tile::kCount,
                                                     P::Merges::kMergedCount);
  std::size_t bytes = for_passes.bytes();
  is_any_of(typename P::Teams{}, [&]<class T>(std::type_identity<T>) {
    if (n > T::kMostItems) return false;
    Layout layout;
    TeamSpace<typename T::Key>(layout, Shares(n, T::kBlocks, T::Tile::kCount));
    bytes = larger(bytes, layout.bytes());
    return false;
  });
  return bytes;
}

/// Sorts `data` by P, a PlanFor<...>, with keys ordered as `map` says; says where the result is. If P's
/// comparison is a Held<Less>, `state` is the object.
template <class P>
ResultIn sort(typename P::Data data, typename P::Data alternate, std::size_t n,
              std::byte* workspace, cudaStream_t stream, typename P::Map map = {},
              const typename P::State& state = {}) {
  if (n < 2) return ResultIn::data;
  if (n <= P::Small::Tile::kCount) {
    sort_one_tile<typename P::Small>(data, n, workspace, stream, map, state);
    return ResultIn::data;
  }
  const bool is_sorted = is_any_of(typename P::Teams{}, [&]<class T>(std::type_identity<T>) {
    return sort_by_team_of<T>(data, alternate, n, workspace, stream, map, state);
  });
  if (is_sorted) return ResultIn::data;
  const auto by_passes = [&](auto key_map) {
    return sort_by_passes<typename P::Tiles, typename P::Merges>(data, alternate, n, workspace,
                                                                 stream, key_map, state);
  };
  // A pass is as long as its instructions: a map that changes nothing is left out of its kernels.
  return map.changes_nothing() ? by_passes(AsTheyAre{}) : by_passes(map);
}

}  // namespace sortlab::gpu::merge::multiway
