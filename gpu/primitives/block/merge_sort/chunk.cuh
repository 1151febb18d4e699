// A thread's chunk of a tile: items in registers, put in order by networks that never branch.
//
// A chunk may carry with each key the place that it had in the tile. Two keys that compare equal
// are then told apart by their places, so that the networks, which are not stable by themselves,
// give the stable order. Without places equal keys may trade places; whoever leaves places out says
// that equal keys can't be told apart.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/primitives/thread/networks.cuh"

namespace sortlab::gpu::merge_sort {

template <class KeyT, unsigned kItemsT, bool kPlacedT>
struct Chunk {
  using Key = KeyT;
  static constexpr unsigned kItems = kItemsT;
  static constexpr bool kPlaced = kPlacedT;

  Key keys[kItems];
  unsigned places[kPlaced ? kItems : 1];
};

/// Whether item j of the chunk belongs before item i.
template <class Less, class C>
__device__ __forceinline__ bool belongs_before(const C& chunk, unsigned j, unsigned i) {
  const bool less = Less{}(chunk.keys[j], chunk.keys[i]);
  if constexpr (C::kPlaced) {
    const bool greater = Less{}(chunk.keys[i], chunk.keys[j]);
    return less | (!greater & (chunk.places[j] < chunk.places[i]));
  } else {
    return less;
  }
}

/// Puts items i < j in order.
template <class Less, class C>
__device__ __forceinline__ void put_in_order(C& chunk, unsigned i, unsigned j) {
  const bool swap = belongs_before<Less>(chunk, j, i);
  const auto low = swap ? chunk.keys[j] : chunk.keys[i];
  const auto high = swap ? chunk.keys[i] : chunk.keys[j];
  chunk.keys[i] = low;
  chunk.keys[j] = high;
  if constexpr (C::kPlaced) {
    const unsigned low_place = swap ? chunk.places[j] : chunk.places[i];
    const unsigned high_place = swap ? chunk.places[i] : chunk.places[j];
    chunk.places[i] = low_place;
    chunk.places[j] = high_place;
  }
}

template <class Less, class C>
__device__ __forceinline__ void sort_chunk(C& chunk) {
  sort_odd_even<0, C::kItems>([&](unsigned i, unsigned j) { put_in_order<Less>(chunk, i, j); });
}

/// Sorts a chunk that goes up and then down, or any rotation of such a sequence.
template <class Less, class C>
__device__ __forceinline__ void merge_rotated(C& chunk) {
  merge_bitonic<C::kItems, C::kItems / 2>(
      [&](unsigned i, unsigned j) { put_in_order<Less>(chunk, i, j); });
}

}  // namespace sortlab::gpu::merge_sort
