// The types of a merge sort by comparison, the shape of its blocks, the tile of a block in shared
// memory, and the copies of items to and from it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "common/utils.hpp"
#include "gpu/primitives/block/bulk_copy.cuh"
#include "gpu/primitives/block/merge_sort/tile.cuh"
#include "gpu/primitives/block/tile.cuh"

namespace sortlab::gpu {

// Comparisons with state. Device code makes a comparison where it needs one, as Less{}. That costs nothing,
// but such an object can hold nothing. Held<Less>{} finds the object that the kernel was passed, in shared
// memory:
//
//   kernel<P>(..., less)        hold<P::Less>(less): thread 0 copies it to a slot
//     any function              Held<Less>{}(a, b) calls the object in the slot
template <class Less>
struct Held {
  static_assert(sizeof(Less) <= 1024,
                "a comparison of more than 1024 bytes: let it hold a pointer");

  __device__ __forceinline__ static Less& slot() {
    __shared__ alignas(Less) unsigned char s_bytes[sizeof(Less)];
    return reinterpret_cast<Less&>(s_bytes);
  }
  template <class Key>
  __device__ __forceinline__ bool operator()(const Key& a, const Key& b) const {
    return static_cast<const Less&>(slot())(a, b);
  }
};

/// What a kernel is passed of a comparison: nothing, or the object to hold.
struct NoState {};
template <class Less>
struct StateOf {
  using Type = NoState;
};
template <class Less>
struct StateOf<Held<Less>> {
  using Type = Less;
};

/// The block's threads call it before any comparison.
template <class Less>
__device__ __forceinline__ void hold(NoState) {}
template <class Less, class State>
__device__ __forceinline__ void hold(const State& state) {
  if (threadIdx.x == 0) ::memcpy(&Less::slot(), &state, sizeof(State));
  __syncthreads();
}

}  // namespace sortlab::gpu

namespace sortlab::gpu::merge_sort {

/// The treatment of keys that compare equal.
enum class Ties : std::uint8_t {
  keep_order,  // they keep their input order: the sort is stable
  any_order,   // they are indistinguishable, so nothing need be done
};

/// How a warp merges its chunks.
enum class InWarp : std::uint8_t {
  through_tile,   // like larger runs; takes fewer registers
  between_lanes,  // by a network over its lanes; takes less time
};

/// Items a thread, threads a block, blocks an SM.
template <unsigned kItemsT, unsigned kThreadsT, unsigned kBlocksT,
          InWarp kInWarpT = InWarp::through_tile>
struct Shape {
  static constexpr unsigned kItems = kItemsT;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kBlocks = kBlocksT;
  static constexpr InWarp kInWarp = kInWarpT;
};

/// The types of one sort with one shape.
template <class LessT, Ties kTies, class KeyT, class ValueT, class ShapeT>
struct Plan : ShapeT {
  using ShapeOf = ShapeT;
  using Less = LessT;
  using State = typename StateOf<Less>::Type;
  using Key = KeyT;
  using Value = ValueT;
  using Data = Items<Key, Value>;
  static constexpr bool kPlaced = kTies == Ties::keep_order || Data::kPairs;
  using Tile = merge_sort::Tile<Key, ShapeT::kItems, ShapeT::kThreads, kPlaced>;
  using Chunk = merge_sort::Chunk<Key, ShapeT::kItems, kPlaced>;
  static_assert((Tile::kCount & (Tile::kCount - 1)) == 0, "cuts halve the width of a run");
  static_assert(std::is_trivially_copyable_v<Key> && std::is_trivially_copyable_v<Value>);
  // The values of a tile reuse the memory of its keys once these are being stored. So do the
  // numbers that distinguish equal keys (multiway/sort_tiles.cuh).
  static constexpr std::size_t kNumberBytes =
      kPlaced ? merge_sort::Tile<std::uint32_t, ShapeT::kItems, ShapeT::kThreads, false>::kKeyBytes
              : 0;
  static constexpr std::size_t kFirstBytes = larger(
      larger(Tile::kKeyBytes, (Tile::kCount * kValueBytes<Value> + 15) / 16 * 16), kNumberBytes);
  static constexpr std::size_t kSharedBytes = (kFirstBytes + Tile::kPlaceBytes + 15) / 16 * 16;
  static_assert(kSharedBytes <= 226 * 1024, "a key is too large for a tile in shared memory");
  // Two pairs of runs share the first level of a merge; a chunk at the end of the first pair may be
  // short, so that a tile that used all chunks could need one more.
  static constexpr unsigned kMergedCount = Tile::kCount - Tile::kItems;

  __device__ static Tile tile() {
    std::byte* const shared = dynamic_shared();
    return {reinterpret_cast<Key*>(shared), reinterpret_cast<std::uint16_t*>(shared + kFirstBytes)};
  }
};

/// Calls for_item(row, i) for each i of [0, count) that belongs to this thread: one per row of the
/// tile. In a tile of kFull items only few rows check whether there is an item.
template <class P, unsigned kFull, class ForItem>
__device__ __forceinline__ void for_each_row(unsigned count, ForItem for_item) {
  if (count == kFull) {
#pragma unroll
    for (unsigned row = 0; row < P::kItems; ++row) {
      const unsigned i = row * P::kThreads + threadIdx.x;
      if ((row + 1) * P::kThreads <= kFull || i < kFull) for_item(row, i);
    }
  } else {
#pragma unroll 1
    for (unsigned row = 0; row * P::kThreads + threadIdx.x < count; ++row) {
      for_item(row, row * P::kThreads + threadIdx.x);
    }
  }
}

/// Stores the sorted tile to `to`; `map` converts its keys. load_values(s_values) starts to copy
/// the values of the input, in input order, to shared memory.
template <class P, unsigned kFull, class Map, class LoadValues>
__device__ __forceinline__ void store_tile(typename P::Tile tile, unsigned count,
                                           typename P::Data to, Map map, LoadValues load_values) {
  const auto* const own_keys = &tile.key_at(threadIdx.x);
  for_each_row<P, kFull>(count, [=](unsigned row, unsigned i) {
    to.keys[i] = map.key(own_keys[row * P::Tile::kKeysToNextRow]);
  });
  if constexpr (P::Data::kPairs) {
    auto* const s_values = reinterpret_cast<typename P::Value*>(dynamic_shared());
    __syncthreads();
    load_values(s_values);
    wait_for_copies();
    __syncthreads();
    const auto* const own_places = &tile.place_at(threadIdx.x);
    for_each_row<P, kFull>(count, [=](unsigned row, unsigned i) {
      to.values[i] = s_values[own_places[row * P::Tile::kPlacesToNextRow]];
    });
  }
}

}  // namespace sortlab::gpu::merge_sort
