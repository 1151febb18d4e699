// A tile in shared memory, whose columns a block's threads bring to registers in rounds: all lower steps of
// a stage each time a tile is in shared memory.
#pragma once

#include <cstddef>

#include "gpu/bitonic/v4_multi_step/column.cuh"
#include "gpu/bitonic/v4_multi_step/shape.cuh"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu::bitonic::v4_multi_step {

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

}  // namespace sortlab::gpu::bitonic::v4_multi_step
