// The kernels of the passes in plan.hpp: several steps of the network for each trip of an item
// through registers, and all lower steps of a stage for each trip of a tile through shared memory.
#pragma once

#include <cstddef>

#include "gpu/bitonic/column.cuh"
#include "gpu/bitonic/plan.hpp"
#include "gpu/primitives/tile.cuh"
#include "gpu/primitives/warp.cuh"

namespace sortlab::gpu::bitonic {

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

/// Whether the run of 2^stage items around `index` has an upper half at all. If not, it is the
/// sequence's last one and already sorted.
__device__ __forceinline__ bool has_upper_half(std::size_t index, std::size_t n, unsigned stage) {
  const std::size_t begin = index >> stage << stage;
  return begin + (std::size_t{1} << (stage - 1)) < n;
}

/// How many of a column's positions lie before `end`.
template <unsigned kBits, class Index>
__device__ __forceinline__ FirstOnes positions_before(Index end, Place<Index> place,
                                                      unsigned low_bit) {
  unsigned count = 0;
#pragma unroll
  for (unsigned p = 0; p < (1u << kBits); ++p) {
    count += place.template begin<kBits>(p) + (Index{p} << low_bit) < end;
  }
  return {count};
}

/// The distance of two positions, 2^low_bit, twice: the compiler does not know that both are the
/// same, so it keeps no address in registers between loading and storing.
struct Strides {
  std::size_t to_load;
  std::size_t to_store;
};

/// Calls work(position, items from that position on) for a column at `place` in global memory.
template <unsigned kBits, class Bound, class Key, class Value, class Work>
__device__ __forceinline__ void for_positions(Items<Key, Value> data, Place<std::size_t> place,
                                              std::size_t stride, Bound bound, Work work) {
  constexpr unsigned kHalf = (1u << kBits) / 2;
  auto at = data.from(place.lower);
#pragma unroll
  for (unsigned p = 0; p < 2 * kHalf; ++p) {
    if (p == kHalf) at = data.from(place.upper + kHalf * stride);
    if (bound.holds(p)) work(p, at);
    at = at.from(stride);
  }
}

/// Runs the steps on the column at `place` in global memory.
template <class Less, Steps kSteps, unsigned kBits, class Bound, class Key, class Value>
__device__ __forceinline__ void column_in_global(Items<Key, Value> data, Place<std::size_t> place,
                                                 Strides strides, Bound bound) {
  Column<Key, Value, kBits> column;
  for_positions<kBits>(data, place, strides.to_load, bound,
                       [&](unsigned p, auto at) { column.at[p] = at[0]; });
  run_steps<Less, kSteps>(column, bound);
  for_positions<kBits>(data, place, strides.to_store, bound,
                       [&](unsigned p, auto at) { at.put(0, column.at[p]); });
}

constexpr unsigned kColumnThreads = 256;
constexpr unsigned kColumnBlocksAnSm = 2;  // 128 registers a thread

/// Kind::fold_columns and Kind::merge_columns: a column a thread.
template <class Less, Steps kSteps, class Shape, class Key, class Value>
__global__ void __launch_bounds__(kColumnThreads, kColumnBlocksAnSm)
    do_columns(Items<Key, Value> data, std::size_t n, unsigned stage, unsigned low_bit,
               Strides strides) {
  constexpr unsigned kBits = Shape::kWideBits;
  const std::size_t x = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const auto place = place_of<kBits, kSteps>(x, low_bit);
  if (!has_upper_half(place.lower, n, stage)) return;
  const std::size_t last = place.upper + (std::size_t{(1u << kBits) - 1} << low_bit);
  if (last < n) {
    column_in_global<Less, kSteps, kBits>(data, place, strides, Whole{});
  } else {
    const auto bound = positions_before<kBits>(n, place, low_bit);
    column_in_global<Less, kSteps, kBits>(data, place, strides, bound);
  }
}

/// A tile of `count` items in shared memory, whose columns the block's threads work on.
///
/// A row of all banks is followed by some unused slots, so that the lanes of a warp meet no bank
/// twice, whichever bits of the index they differ in (with 128 bytes of keys a column; with shorter
/// columns they do in the lowest ones).
template <class Less, class Shape, class Bound, class Key, class Value>
class TileOfColumns {
 public:
  static constexpr unsigned kBits = Shape::kColumnBits;

  /// `thread` is the number of this thread among those that work on the tile.
  __device__ TileOfColumns(Items<Key, Value> s_slots, unsigned count, unsigned thread = threadIdx.x)
      : s_slots_(s_slots), count_(count), thread_(thread) {}

  static constexpr std::size_t slots() { return slot(Shape::kTileItems); }

  /// Sorts the tile in global memory.
  __device__ __forceinline__ void sort(Items<Key, Value> tile) {
    sort_columns(tile);
    merge_stages();
    store(tile);
  }

  /// Sorts from[0, count) into to, by one warp that holds the tile; the tile is Whole. Its places
  /// from count on get the largest key: as nothing comes after it, it is not moved from there.
  __device__ __forceinline__ void sort_by_warp(Items<Key, Value> from, Items<Key, Value> to) {
    static_assert(Shape::kTileThreads == kWarp);
    Column<Key, Value, kBits> column;
    Key largest = from.keys[0];
#pragma unroll
    for (unsigned p = 0; p < column.kItems; ++p) {
      const unsigned i = p * kWarp + lane_id();
      if (i < count_) {
        column.at[p] = from[i];
        if (Less{}(largest, column.at[p].key)) largest = column.at[p].key;
      }
    }
#pragma unroll
    for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
      const Key other = __shfl_xor_sync(kAllLanes, largest, distance);
      if (Less{}(largest, other)) largest = other;
    }
#pragma unroll
    for (unsigned p = 0; p < column.kItems; ++p) {
      const unsigned i = p * kWarp + lane_id();
      if (i >= count_) column.at[p] = {largest, {}};
      s_slots_.put(slot(i), column.at[p]);
    }
    __syncwarp();
    pass<Steps::sort, 0>();
    __syncwarp();
    merge_stages();
    store(to);
  }

  /// The last Shape::kTileBits steps of a stage.
  __device__ __forceinline__ void merge(Items<Key, Value> tile) {
    constexpr unsigned kLow = Shape::kTileBits - kBits;
    const auto place = place_of<kBits, Steps::merge>(thread_, kLow);
    const auto bound = bound_of<kLow>(place);
    Column<Key, Value, kBits> column;
#pragma unroll
    for (unsigned p = 0; p < column.kItems; ++p) {
      if (bound.holds(p)) column.at[p] = tile[place.lower + (p << kLow)];
    }
    run_steps<Less, Steps::merge>(column, bound);
    write<kLow>(column, place);
    meet(kLow);
    merge_below<kHighestMerge>(kLow);
    store(tile);
  }

 private:
  static constexpr unsigned kBankBits = sizeof(Key) == 8 ? 4 : 5;
  static_assert(kBits <= kBankBits);
  static constexpr unsigned kHighestMerge = (Shape::kTileBits - kBits - 1) / kBits * kBits;

  /// Where item i lies. slot(a | b) = slot(a) + slot(b) if a and b have no bit in common.
  static constexpr __host__ __device__ unsigned slot(unsigned i) {
    return i + ((i >> kBankBits) << (kBankBits - kBits));
  }

  /// The first item of the warp's own stretch, which holds all columns of the lower bits.
  __device__ __forceinline__ unsigned warp_begin() const {
    return thread_ / kWarp * Shape::kWarpItems;
  }

  /// Waits for whoever else touches the columns at low_bit: if their lanes are next to each other,
  /// only the warp itself.
  static __device__ __forceinline__ void meet(unsigned low_bit) {
    constexpr unsigned kLaneBits = 5;
    if (low_bit <= kLaneBits) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  template <unsigned kLow>
  __device__ __forceinline__ Bound bound_of(Place<unsigned> place) const {
    if constexpr (std::is_same_v<Bound, Whole>) {
      return {};
    } else {
      return positions_before<kBits>(count_, place, kLow);
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
    run_steps<Less, kSteps>(column, bound_of<kLow>(place));
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

  /// The first kBits stages. Which keys make up a column is all the same in a whole tile, so the
  /// lanes take neighbours from global memory.
  __device__ __forceinline__ void sort_columns(Items<Key, Value> tile) const {
    if constexpr (std::is_same_v<Bound, Whole>) {
      const auto mine = tile.from(warp_begin() + lane_id());
      Column<Key, Value, kBits> column;
#pragma unroll
      for (unsigned p = 0; p < column.kItems; ++p) column.at[p] = mine[p * kWarp];
      run_steps<Less, Steps::sort>(column, Whole{});
      write<0>(column, place_of<kBits, Steps::sort>(thread_, 0));
    } else {
      for (unsigned i = threadIdx.x; i < count_; i += blockDim.x) s_slots_.put(slot(i), tile[i]);
      __syncthreads();
      pass<Steps::sort, 0>();
      __syncwarp();
    }
  }

  /// Each warp its own stretch.
  __device__ __forceinline__ void store(Items<Key, Value> tile) const {
#pragma unroll
    for (unsigned p = 0; p < Shape::kColumnItems; ++p) {
      const unsigned i = warp_begin() + p * kWarp + lane_id();
      if (i < count_) tile.put(i, s_slots_[slot(i)]);
    }
  }

  Items<Key, Value> s_slots_;
  unsigned count_;
  unsigned thread_;
};

/// The dynamic shared memory of a tile.
template <class Less, class Shape, class Key, class Value>
constexpr std::size_t bytes_of_tile() {
  return bytes_of_items<Key, Value>(TileOfColumns<Less, Shape, Whole, Key, Value>::slots());
}

/// Calls work(tile of columns, tile in global memory) for the block's tile.
template <class Less, class Shape, class Key, class Value, class Work>
__device__ __forceinline__ void with_tile(Items<Key, Value> data, std::size_t n, Work work) {
  using WholeTile = TileOfColumns<Less, Shape, Whole, Key, Value>;
  using ShortTile = TileOfColumns<Less, Shape, FirstOnes, Key, Value>;
  const std::size_t first = std::size_t{blockIdx.x} * Shape::kTileItems;
  const unsigned count = count_in_tile(n, first, Shape::kTileItems);
  const auto s_slots = items_at<Key, Value>(dynamic_shared(), WholeTile::slots());
  if (count == blockDim.x * Shape::kColumnItems) {
    work(WholeTile(s_slots, count), data.from(first));
  } else {
    work(ShortTile(s_slots, count), data.from(first));
  }
}

/// Kind::sort_tiles. A sequence shorter than a tile may be sorted by fewer threads, 2^i of them.
template <class Less, class Shape, class Key, class Value>
__global__ void __launch_bounds__(Shape::kTileThreads, kThreadsAnSm / Shape::kTileThreads)
    sort_tiles(Items<Key, Value> data, std::size_t n) {
  with_tile<Less, Shape>(data, n, [](auto columns, auto tile) { columns.sort(tile); });
}

/// Kind::merge_tiles.
template <class Less, class Shape, class Key, class Value>
__global__ void __launch_bounds__(Shape::kTileThreads, kThreadsAnSm / Shape::kTileThreads)
    merge_tiles(Items<Key, Value> data, std::size_t n, unsigned stage) {
  if (!has_upper_half(std::size_t{blockIdx.x} * Shape::kTileItems, n, stage)) return;
  with_tile<Less, Shape>(data, n, [](auto columns, auto tile) { columns.merge(tile); });
}

}  // namespace sortlab::gpu::bitonic
