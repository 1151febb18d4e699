// The types of one sample sort, and the shapes that follow from them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "gpu/primitives/block/merge_sort/sort_tile.cuh"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu::quick::sample {

/// LessT, default-constructible, is any strict weak order of the keys that MapT turns the array's
/// keys into; these are of the same type. The only requirement on a key is that it may be copied
/// byte by byte. The default map changes nothing. A map saves kernels: keys of one width with
/// different orders share them.
/// Keys that compare equal but differ need Ties::keep_order, or some could be lost; they cost a
/// tile's sort more. The sort as a whole is not stable.
template <class LessT, merge_sort::Ties kTies, class KeyT, class ValueT = NoValue,
          class MapT = AsTheyAre>
struct Types {
  using Less = LessT;
  using Key = KeyT;
  using Value = ValueT;
  using Map = MapT;
  using Data = Items<Key, Value>;
  static constexpr std::size_t kItemBytes = sizeof(Key) + kValueBytes<Value>;

  /// The sort of a block's tile, for the segments of the last level and for samples.
  static constexpr bool kBigKeys = sizeof(Key) > 8;
  static constexpr bool kSmallKeys = sizeof(Key) <= 4;
  static constexpr bool kPlaced = kTies == merge_sort::Ties::keep_order || Data::kPairs;
  template <bool kManyItems>
  using LeafShape = std::conditional_t<
      kManyItems, merge_sort::Shape<32, 256, 4>,
      std::conditional_t<kBigKeys, merge_sort::Shape<8, 256, 2>, merge_sort::Shape<16, 256, 4>>>;
  using Leaf = merge_sort::Plan<Less, kTies, Key, Value, LeafShape<kSmallKeys && !kPlaced>>;
  using Sampler =
      merge_sort::Plan<Less, merge_sort::Ties::any_order, Key, NoValue, LeafShape<kSmallKeys>>;
  static constexpr std::size_t kMostInLeaf = Leaf::Tile::kCount;

  /// A level's tiles. In count_buckets a thread holds kCountItems keys at a time.
  static constexpr unsigned kThreads = 512;
  static constexpr unsigned kItems =
      kItemBytes <= 4 ? 20 : static_cast<unsigned>(std::max<std::size_t>(96 / kItemBytes, 1));
  static constexpr unsigned kTile = kThreads * kItems;
  static constexpr unsigned kBlocks = 2;
  static constexpr unsigned kCountItems = kItems % 20 == 0  ? 10
                                          : kItems % 8 == 0 ? 8
                                          : kItems % 4 == 0 ? 4
                                                            : kItems;
  static constexpr unsigned kCountBlocks = sizeof(Key) <= 8 ? 3 : 2;

  /// log2 of the most buckets for which one level is enough.
  static constexpr unsigned kMostInOneLevel = sizeof(Key) <= 4 ? 10 : 8;
  /// The most items for which kernels are launched early.
  static constexpr std::size_t kMostLaunchedEarly = std::size_t{1} << 17;
};

}  // namespace sortlab::gpu::quick::sample
