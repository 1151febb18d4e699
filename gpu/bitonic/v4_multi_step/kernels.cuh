// The kernels of the passes in plan.hpp: columns of items in registers, passes over columns in global memory, and
// tiles of columns in shared memory.
#pragma once

#include <cstddef>

#include "common/contract/items.hpp"
#include "gpu/bitonic/v4_multi_step/plan.hpp"
#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/thread/networks.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::bitonic::v4_multi_step {

// A column: the 2^bits items of a sequence whose indices differ only in `bits` neighbouring bits,
// held in a thread's registers, and the steps of a bitonic network over those bits.
//
//     index    | high | position | low |        a column: all positions for one (high, low)
//                       `- bits -'
//
// This network has no directions: the smaller item always goes to the lower index. The first step
// of a stage compares the item i with its mirror image in the run of 2^stage items. All other steps
// compare i with i + distance.
//
//     fold    0-----.                  merge   0 --.
//             1---. |   position p and         1 --|-.     position p and p + 2
//             2---' |   its mirror image       2 --' |
//             3-----'                          3 ----'
//
// So a sequence of any n works in place: places from n on count as largest keys. These never move,
// because they are at the upper end of each pair and equal keys are not exchanged. Keys are
// unsigned integers (gpu/primitives/key_map.hpp).
// Source: Batcher 1968; the mirrored form is in Knuth, volume 3, section 5.3.4.

template <class Key, class Value, unsigned kBits>
struct Column {
  static constexpr unsigned kItems = 1u << kBits;
  Item<Key, Value> at[kItems];
};

/// Puts the largest key in all positions.
template <class Key, class Value, unsigned kBits>
__device__ __forceinline__ void fill(Column<Key, Value, kBits>& column) {
#pragma unroll
  for (auto& item : column.at) item = {static_cast<Key>(~Key{0}), {}};
}

/// Puts two items in order, by two selections. For keys alone these are a minimum and a maximum.
template <class Key, class Value>
__device__ __forceinline__ void put_in_order(Item<Key, Value>& low, Item<Key, Value>& high) {
  const auto a = low;
  const auto b = high;
  const bool swaps = b.key < a.key;
  low.key = swaps ? b.key : a.key;
  high.key = swaps ? a.key : b.key;
  if constexpr (Items<Key, Value>::kPairs) {
    low.value = swaps ? b.value : a.value;
    high.value = swaps ? a.value : b.value;
  }
}

/// The steps that a pass does with a column.
enum class Steps : int { sort, fold, merge };

template <Steps kSteps, class Key, class Value, unsigned kBits>
__device__ __forceinline__ void run_steps(Column<Key, Value, kBits>& column) {
  constexpr unsigned kItems = 1u << kBits;
  const auto compare = [&](unsigned p, unsigned q) { put_in_order(column.at[p], column.at[q]); };
  if constexpr (kSteps == Steps::sort) {
    sort_bitonic<kItems, kItems>(compare);
  } else if constexpr (kSteps == Steps::fold) {
    fold_runs<kItems, kItems>(compare);
    merge_bitonic<kItems, kItems / 4>(compare);
  } else {
    merge_bitonic<kItems, kItems / 2>(compare);
  }
}

/// The place of a column: position p is at the index begin(p) + p * 2^low_bit. For a fold, the low
/// bits of the upper half are also the mirror image of the lower half's.
template <class Index>
struct Place {
  Index lower;
  Index upper;

  template <unsigned kBits>
  __device__ __forceinline__ Index begin(unsigned position) const {
    return position < (1u << kBits) / 2 ? lower : upper;
  }
};

/// The place of column number x among all columns with these bits.
template <unsigned kBits, Steps kSteps, class Index>
__device__ __forceinline__ Place<Index> place_of(Index x, unsigned low_bit) {
  const Index low_mask = (Index{1} << low_bit) - 1;
  const Index low = x & low_mask;
  const Index high = (x >> low_bit) << (low_bit + kBits);
  return {high | low, high | (kSteps == Steps::fold ? low_mask - low : low)};
}

// How a sort is cut into tiles and columns.

/// How a sort of these items is cut. A thread of the tile kernels holds 2^kColumnBits items, one of
/// the column kernels 2^kWideBits.
template <unsigned kTile, unsigned kColumn, unsigned kWide>
struct Shape {
  static constexpr unsigned kTileBits = kTile;
  static constexpr unsigned kColumnBits = kColumn;
  static constexpr unsigned kWideBits = kWide;
  static constexpr unsigned kTileItems = 1u << kTile;
  static constexpr unsigned kColumnItems = 1u << kColumn;
  static constexpr unsigned kTileThreads = kTileItems / kColumnItems;
  static constexpr unsigned kWarpItems = kWarp * kColumnItems;
};

/// The threads that an SM holds at 64 registers each.
constexpr unsigned kThreadsAnSm = 1024;

/// Whether the run of 2^stage items around `index` has an upper half. If not, it is the sequence's
/// last run and already sorted.
__device__ __forceinline__ bool has_upper_half(std::size_t index, std::size_t n, unsigned stage) {
  const std::size_t begin = index >> stage << stage;
  return begin + (std::size_t{1} << (stage - 1)) < n;
}

// The passes over columns in global memory: several steps of the network each time an item is in
// registers.

/// How many of a column's positions are within the n items: the first ones.
template <unsigned kBits>
__device__ __forceinline__ unsigned positions_within(std::size_t n, Place<std::size_t> place,
                                                     unsigned low_bit) {
  constexpr unsigned kHalf = (1u << kBits) / 2;
  const auto of_half = [&](std::size_t begin) -> unsigned {
    if (begin >= n) return 0;
    const std::size_t count = ((n - 1 - begin) >> low_bit) + 1;
    return count < kHalf ? static_cast<unsigned>(count) : kHalf;
  };
  return of_half(place.lower) + of_half(place.upper + (std::size_t{kHalf} << low_bit));
}

/// The distance of two positions, 2^low_bit, twice: the compiler does not know that both are the
/// same, so it keeps no address in registers between loading and storing.
struct Strides {
  std::size_t to_load;
  std::size_t to_store;
};

/// Calls work(position, items from that position on) for a column's first `count` positions in
/// global memory.
template <unsigned kBits, class Key, class Value, class Work>
__device__ __forceinline__ void for_positions(Items<Key, Value> data, Place<std::size_t> place,
                                              std::size_t stride, unsigned count, Work work) {
  constexpr unsigned kHalf = (1u << kBits) / 2;
  const auto for_those = [&](auto is_within) {
    auto at = data.from(place.lower);
#pragma unroll
    for (unsigned p = 0; p < 2 * kHalf; ++p) {
      if (p == kHalf) at = data.from(place.upper + kHalf * stride);
      if (is_within(p)) work(p, at);
      at = at.from(stride);
    }
  };
  if (count == 2 * kHalf) {
    for_those([](unsigned) { return true; });
  } else {
    for_those([&](unsigned p) { return p < count; });
  }
}

constexpr unsigned kColumnThreads = 256;
constexpr unsigned kColumnBlocksAnSm = 2;  // 128 registers per thread

/// Kind::fold_columns and Kind::merge_columns: one column per thread.
template <Steps kSteps, class Shape, class Key, class Value>
__global__ void __launch_bounds__(kColumnThreads, kColumnBlocksAnSm)
    do_columns(Items<Key, Value> data, std::size_t n, unsigned stage, unsigned low_bit,
               Strides strides) {
  constexpr unsigned kBits = Shape::kWideBits;
  const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto place = place_of<kBits, kSteps>(x, low_bit);
  if (!has_upper_half(place.lower, n, stage)) return;
  const unsigned count = positions_within<kBits>(n, place, low_bit);

  Column<Key, Value, kBits> column;
  fill(column);
  for_positions<kBits>(data, place, strides.to_load, count,
                       [&](unsigned p, auto at) { column.at[p] = at[0]; });
  run_steps<kSteps>(column);
  for_positions<kBits>(data, place, strides.to_store, count,
                       [&](unsigned p, auto at) { at.put(0, column.at[p]); });
}

// A tile in shared memory, whose columns a block's threads bring to registers in rounds: all lower steps of
// a stage each time a tile is in shared memory.

/// A tile of `count` items in shared memory, whose columns the block's threads work on. In global
/// memory the keys may be of any type; here they are the map's integers. Places from `count` on
/// hold the largest one.
///
/// A row of all banks is followed by some unused slots, so that the lanes of a warp use no bank
/// twice, whichever bits of the index differ between them. This holds for 128 bytes of keys per
/// column; with shorter columns the lowest bits have conflicts.
template <class Shape, class Key, class Value>
class TileOfColumns {
 public:
  static constexpr unsigned kBits = Shape::kColumnBits;
  using Map = KeyMap<Key>;

  /// Thread number `thread` of `threads` that work on the tile.
  __device__ TileOfColumns(Items<Key, Value> s_slots, unsigned count, unsigned thread,
                           unsigned threads)
      : s_slots_(s_slots),
        count_(count),
        thread_(thread),
        is_full_(count == threads * Shape::kColumnItems) {}

  static constexpr std::size_t slots() { return slot(Shape::kTileItems); }

  /// Sorts from[0, count) into to.
  __device__ __forceinline__ void sort(Items<Key, Value> from, Items<Key, Value> to, Map map_in,
                                       Map map_out) const {
    auto column = load_columns(from, map_in);
    run_steps<Steps::sort>(column);
    write<0>(column, place_of<kBits, Steps::sort>(thread_, 0));
    __syncwarp();  // there may be no further stage
    merge_stages();
    store(to, map_out);
  }

  /// The last Shape::kTileBits steps of a stage.
  __device__ __forceinline__ void merge(Items<Key, Value> tile, Map map_out) const {
    constexpr unsigned kLow = Shape::kTileBits - kBits;
    const auto place = place_of<kBits, Steps::merge>(thread_, kLow);
    Column<Key, Value, kBits> column;
    fill(column);
    for_items(place.lower, 1u << kLow, [&](unsigned p, unsigned i) { column.at[p] = tile[i]; });
    run_steps<Steps::merge>(column);
    write<kLow>(column, place);
    meet(kLow);
    merge_below<kHighestMerge>(kLow);
    if (map_out.changes_nothing()) {
      store(tile, NoMap{});
    } else {
      store(tile, map_out);
    }
  }

 private:
  static constexpr unsigned kBankBits = sizeof(Key) == 8 ? 4 : 5;
  static_assert(kBits <= kBankBits);
  static constexpr unsigned kHighestMerge = (Shape::kTileBits - kBits - 1) / kBits * kBits;

  /// The slot of item i. slot(a | b) = slot(a) + slot(b) if a and b have no bit in common.
  static constexpr __host__ __device__ unsigned slot(unsigned i) {
    return i + ((i >> kBankBits) << (kBankBits - kBits));
  }

  /// The first item of the warp's own part, which holds all columns of the lower bits.
  __device__ __forceinline__ unsigned warp_begin() const {
    return thread_ / kWarp * Shape::kWarpItems;
  }

  /// Waits for all threads that access the columns at low_bit: only for the warp itself, if these
  /// are neighbouring lanes.
  static __device__ __forceinline__ void meet(unsigned low_bit) {
    constexpr unsigned kLaneBits = 5;
    if (low_bit <= kLaneBits) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  template <unsigned kLow>
  __device__ __forceinline__ Column<Key, Value, kBits> read(Place<unsigned> place) const {
    Column<Key, Value, kBits> column;
#pragma unroll
    for (unsigned p = 0; p < column.kItems; ++p) {
      column.at[p] = s_slots_[slot(place.begin<kBits>(p)) + slot(p << kLow)];
    }
    return column;
  }
  template <unsigned kLow>
  __device__ __forceinline__ void write(const Column<Key, Value, kBits>& column,
                                        Place<unsigned> place) const {
#pragma unroll
    for (unsigned p = 0; p < column.kItems; ++p) {
      s_slots_.put(slot(place.begin<kBits>(p)) + slot(p << kLow), column.at[p]);
    }
  }

  template <Steps kSteps, unsigned kLow>
  __device__ __forceinline__ void pass() const {
    const auto place = place_of<kBits, kSteps>(thread_, kLow);
    auto column = read<kLow>(place);
    run_steps<kSteps>(column);
    write<kLow>(column, place);
  }

  /// pass<Steps::fold, low_bit>, with low_bit from 1 to kLow.
  template <unsigned kLow>
  __device__ __forceinline__ void fold(unsigned low_bit) const {
    if (low_bit == kLow) {
      pass<Steps::fold, kLow>();
    } else if constexpr (kLow > 1) {
      fold<kLow - 1>(low_bit);
    }
  }

  /// The steps of all bits below low_bit, kBits at a time, down from kLow.
  template <unsigned kLow>
  __device__ __forceinline__ void merge_below(unsigned low_bit) const {
    if (kLow < low_bit) {
      pass<Steps::merge, kLow>();
      meet(kLow);
    }
    if constexpr (kLow > 0) merge_below<kLow - kBits>(low_bit);
  }

  /// The stages from kBits + 1 on.
  __device__ __forceinline__ void merge_stages() const {
    for (unsigned stage = kBits + 1; stage <= Shape::kTileBits; ++stage) {
      if (count_ <= 1u << (stage - 1)) break;
      const unsigned low_bit = stage - kBits;
      meet(low_bit);
      fold<Shape::kTileBits - kBits>(low_bit);
      meet(low_bit);
      merge_below<kHighestMerge>(low_bit);
    }
  }

  struct NoMap {
    __device__ __forceinline__ Key key(Key ordered) const { return ordered; }
  };

  /// Calls work(p, first + p * stride) for the items of the tile among those of one thread.
  template <class Work>
  __device__ __forceinline__ void for_items(unsigned first, unsigned stride, Work work) const {
    const auto for_those = [&](auto is_within) {
#pragma unroll
      for (unsigned p = 0; p < Shape::kColumnItems; ++p) {
        const unsigned i = first + p * stride;
        if (is_within(i)) work(p, i);
      }
    };
    if (is_full_) {
      for_those([](unsigned) { return true; });
    } else {
      for_those([&](unsigned i) { return i < count_; });
    }
  }

  /// A column of the warp's own part in global memory. In a full tile any keys may form a column,
  /// so the lanes take neighbours, one in each position. In a tile that is not full, the items must
  /// stay below the places that only represent the largest key.
  __device__ __forceinline__ Column<Key, Value, kBits> load_columns(Items<Key, Value> from,
                                                                    Map map) const {
    const unsigned first = warp_begin() + lane_id();
    Column<Key, Value, kBits> column;
    fill(column);
    for_items(first, kWarp, [&](unsigned p, unsigned i) {
      column.at[p] = from[i];
      column.at[p].key = map.ordered(column.at[p].key);
    });
    if (is_full_) return column;
#pragma unroll
    for (unsigned p = 0; p < column.kItems; ++p) {
      s_slots_.put(slot(first + p * kWarp), column.at[p]);
    }
    __syncwarp();
    column = read<0>(place_of<kBits, Steps::sort>(thread_, 0));
    __syncwarp();
    return column;
  }

  /// Each warp handles its own part.
  template <class AnyMap>
  __device__ __forceinline__ void store(Items<Key, Value> to, AnyMap map) const {
    for_items(warp_begin() + lane_id(), kWarp, [&](unsigned, unsigned i) {
      auto item = s_slots_[slot(i)];
      item.key = map.key(item.key);
      to.put(i, item);
    });
  }

  Items<Key, Value> s_slots_;
  unsigned count_;
  unsigned thread_;
  bool is_full_;
};

/// The dynamic shared memory of a tile.
template <class Shape, class Key, class Value>
constexpr std::size_t bytes_of_tile() {
  return bytes_of_items<Key, Value>(TileOfColumns<Shape, Key, Value>::slots());
}

/// `count` items that all threads of the block work on.
template <class Shape, class Key, class Value>
__device__ __forceinline__ auto tile_of_all_threads(unsigned count) {
  using Tile = TileOfColumns<Shape, Key, Value>;
  const auto s_slots = items_at<Key, Value>(dynamic_shared(), Tile::slots());
  return Tile(s_slots, count, threadIdx.x, blockDim.x);
}

/// Kind::sort_tiles. A sequence shorter than a tile may be sorted by fewer threads, 2^i of them.
template <class Shape, class Key, class Value>
__global__ void __launch_bounds__(Shape::kTileThreads, kThreadsAnSm / Shape::kTileThreads)
    sort_tiles(Items<Key, Value> data, std::size_t n, KeyMap<Key> map_in, KeyMap<Key> map_out) {
  const std::size_t first = std::size_t{blockIdx.x} * Shape::kTileItems;
  const auto tile = data.from(first);
  tile_of_all_threads<Shape, Key, Value>(count_in_tile(n, first, Shape::kTileItems))
      .sort(tile, tile, map_in, map_out);
}

/// Kind::merge_tiles.
template <class Shape, class Key, class Value>
__global__ void __launch_bounds__(Shape::kTileThreads, kThreadsAnSm / Shape::kTileThreads)
    merge_tiles(Items<Key, Value> data, std::size_t n, unsigned stage, KeyMap<Key> map_out) {
  const std::size_t first = std::size_t{blockIdx.x} * Shape::kTileItems;
  if (!has_upper_half(first, n, stage)) return;
  tile_of_all_threads<Shape, Key, Value>(count_in_tile(n, first, Shape::kTileItems))
      .merge(data.from(first), map_out);
}

}  // namespace sortlab::gpu::bitonic::v4_multi_step
