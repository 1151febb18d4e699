// The first step of the merge sort: each block sorts a tile of the input in shared memory
// (merge_sort/sort_tile.cuh), by ranks where equal keys must keep their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "gpu/primitives/block/merge_sort/plan.cuh"
#include "gpu/primitives/block/merge_sort/sort_tile.cuh"
#include "gpu/primitives/block/tile.cuh"

namespace sortlab::gpu::merge::multiway {

// Sorts a tile whose equal keys must keep their order. No item carries its place through the
// networks: keys alone are sorted, then each item looks up where it belongs.
//
//   items by place           d b c a
//   keys alone, sorted       a b c d       by networks, in whatever order of equals
//   rank of each item        3 1 2 0       by binary search
//   place for each rank      3 1 2 0       scattered: which item belongs here
//
// A comparison of keys with places takes seven instructions, one of keys alone two or three. Items
// with equal keys find the same rank: where the tile has any, the numbers (rank, place), of which no
// two are equal, are sorted in the same way.
// measured: 2^27 u32+u32, all tiles, ms: 1.70 (ranks) vs 2.49 (networks with places); H200,
// merge_multiway.14.txt

using namespace merge_sort;

struct LessNumber {
  __device__ __forceinline__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    return a < b;
  }
};
/// Plans of P's shape, for its keys alone and for numbers.
template <class P>
using KeysOf =
    Plan<typename P::Less, Ties::any_order, typename P::Key, NoValue, typename P::ShapeOf>;
template <class P>
using NumbersOf = Plan<LessNumber, Ties::any_order, std::uint32_t, NoValue, typename P::ShapeOf>;

/// The upper levels of a search look at the ends of so many stretches of the sorted tile. These lie
/// side by side: words some powers of two apart would be in few banks.
constexpr unsigned kStretches = 64;

/// The ends of the stretches; the second half lies a word further on, so that no two of a level
/// share a bank.
template <class Key>
using StretchEnds = Key[kStretches + 1];

/// What a block has in shared memory: the plan's, then the ends.
template <class P>
constexpr std::size_t kSharedBytesByRanks = P::kSharedBytes + sizeof(StretchEnds<typename P::Key>);

/// Copies the ends. What lies behind the tile's items becomes as large as the last of them.
template <class P>
__device__ __forceinline__ void find_ends(typename P::Tile tile, unsigned count,
                                          StretchEnds<typename P::Key>& s_ends) {
  constexpr unsigned kCount = P::Tile::kCount;
  static_assert(P::kThreads >= kStretches);
  for (unsigned i = count + threadIdx.x; i < kCount; i += P::kThreads) {
    tile.key_at(i) = tile.key_at(count - 1);
  }
  if (threadIdx.x < kStretches) {
    s_ends[threadIdx.x + threadIdx.x / (kStretches / 2)] =
        tile.key_at(min((threadIdx.x + 1) * (kCount / kStretches), count) - 1);
  }
}

/// Where keys of the tile are found first in it: offsets to tile.keys. The searches go on side by
/// side; offsets are in bytes, so that a step is three instructions.
template <class P, unsigned kKeys>
__device__ __forceinline__ void find_ranks(typename P::Tile tile,
                                           const StretchEnds<typename P::Key>& s_ends,
                                           const typename P::Key (&keys)[kKeys],
                                           unsigned (&ranks)[kKeys]) {
  using Less = typename P::Less;
  using Key = typename P::Key;
  constexpr unsigned kItems = P::kItems;
  constexpr unsigned kPitch = P::Tile::kKeyPitch;
  constexpr unsigned kWidth = P::Tile::kCount / kStretches;
  static_assert(kWidth >= kItems);
  const auto look = [](const Key* s_array, unsigned offset, unsigned ahead) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(s_array + ahead);
    return *reinterpret_cast<const Key*>(bytes + offset);
  };
  unsigned at[kKeys] = {};
#pragma unroll
  for (unsigned step = kStretches / 2; step > 0; step /= 2) {
    const unsigned passed = step == kStretches / 2 ? step + 1 : step;
#pragma unroll
    for (unsigned r = 0; r < kKeys; ++r) {
      if (Less{}(look(s_ends, at[r], step - 1), keys[r])) at[r] += passed * sizeof(Key);
    }
  }
#pragma unroll
  for (unsigned r = 0; r < kKeys; ++r) {
    const unsigned end = at[r] / sizeof(Key);
    at[r] = (end - end / (kStretches / 2 + 1)) * (kWidth / kItems * kPitch * sizeof(Key));
  }
#pragma unroll
  for (unsigned step = kWidth / 2; step > 0; step /= 2) {
    const unsigned last = step >= kItems ? step / kItems * kPitch - 2 : step - 1;
    const unsigned passed = step >= kItems ? step / kItems * kPitch : step;
#pragma unroll
    for (unsigned r = 0; r < kKeys; ++r) {
      if (Less{}(look(tile.keys, at[r], last), keys[r])) at[r] += passed * sizeof(Key);
    }
  }
#pragma unroll
  for (unsigned r = 0; r < kKeys; ++r) ranks[r] = at[r] / sizeof(Key);
}

/// Whether two neighbours of the sorted tile, the first of which is this thread's, are equal.
template <class P>
__device__ __forceinline__ bool has_equals(typename P::Tile tile, unsigned count) {
  const unsigned first = threadIdx.x * P::kItems;
  if (first >= count) return false;
  bool equals = false;
  auto key = tile.key_at(first);
#pragma unroll 4
  for (unsigned r = 1; r <= P::kItems; ++r) {
    if (first + r < count) {
      const auto next = tile.key_at(first + r);
      equals |= !typename P::Less{}(key, next);
      key = next;
    }
  }
  return equals;
}

/// Makes ranks that items share, by place in tile.places, into ranks of their own. Not inlined, as
/// it is rare. Overwrites the keys.
template <class P>
__device__ __noinline__ void tell_equals_apart(unsigned count) {
  using N = NumbersOf<P>;
  constexpr unsigned kItems = P::kItems;
  const auto places = P::tile();
  const auto tile = N::tile();
  const unsigned first = threadIdx.x * kItems;
  typename N::Chunk numbers;
#pragma unroll
  for (unsigned r = 0; r < kItems; ++r) {
    const unsigned rank = places.place_at(first + r);
    numbers.keys[r] = first + r < count ? rank << 16 | (first + r) : 0xffffffff;
  }
  sort_tile<N>(tile, count, numbers);
#pragma unroll
  for (unsigned r = 0; r < kItems; ++r) {
    if (first + r < count) {
      places.place_at(tile.key_at(first + r) & 0xffff) = P::Tile::offset_of(first + r);
    }
  }
  __syncthreads();
}

/// Each item looks up its rank in the sorted tile. If no two keys are equal, tile.places then holds the
/// item of each rank, else the rank of each item, which equal ones share.
template <class P, class RowKey>
__device__ __forceinline__ void look_up_ranks(typename P::Tile tile, unsigned count,
                                              const StretchEnds<typename P::Key>& s_ends,
                                              bool equals, const RowKey& row_key) {
  constexpr unsigned kItems = P::kItems;
  constexpr unsigned kAtATime = kItems < 8 ? kItems : 8;
#pragma unroll(kItems > 16 ? 1 : kItems / kAtATime)
  for (unsigned first = 0; first < kItems; first += kAtATime) {
    typename P::Key keys[kAtATime];
    unsigned ranks[kAtATime];
#pragma unroll
    for (unsigned r = 0; r < kAtATime; ++r) {
      const unsigned place = (first + r) * P::kThreads + threadIdx.x;
      keys[r] = place < count ? row_key(first + r) : tile.key_at(0);
    }
    find_ranks<P>(tile, s_ends, keys, ranks);
#pragma unroll
    for (unsigned r = 0; r < kAtATime; ++r) {
      const unsigned place = (first + r) * P::kThreads + threadIdx.x;
      if (place < count) {
        tile.places[equals ? P::Tile::offset_of(place) : ranks[r]] = equals ? ranks[r] : place;
      }
    }
  }
}

/// Puts each item at its rank, which tile.places holds. Ends with a barrier.
template <class P, class RowKey>
__device__ __forceinline__ void place_by_ranks(typename P::Tile tile, unsigned count,
                                               const RowKey& row_key) {
  constexpr unsigned kItems = P::kItems;
  unsigned ranks[kItems];
#pragma unroll
  for (unsigned r = 0; r < kItems; ++r) {
    const unsigned place = r * P::kThreads + threadIdx.x;
    if (place < count) ranks[r] = tile.place_at(place);
  }
  __syncthreads();
#pragma unroll
  for (unsigned r = 0; r < kItems; ++r) {
    const unsigned place = r * P::kThreads + threadIdx.x;
    if (place < count) {
      tile.keys[ranks[r]] = row_key(r);
      tile.places[ranks[r]] = place;
    }
  }
  __syncthreads();
}

/// Sorts the `count` items of the tile, of which each thread holds an unsorted chunk: keys, and the
/// place of each. row_key(r) is the key with place r * threads + thread.
template <class P, class RowKey>
__device__ __forceinline__ void sort_tile_by_ranks(typename P::Tile tile, unsigned count,
                                                   typename KeysOf<P>::Chunk& chunk,
                                                   RowKey row_key) {
  static_assert(P::Tile::kKeyBytes / sizeof(typename P::Key) <= 0x10000, "a rank has 16 bits");
  static_assert(NumbersOf<P>::Tile::kKeyBytes <= P::kFirstBytes, "numbers take the room of keys");
  auto& s_ends =
      *reinterpret_cast<StretchEnds<typename P::Key>*>(dynamic_shared() + P::kSharedBytes);
  sort_tile<KeysOf<P>>({tile.keys, nullptr}, count, chunk);
  find_ends<P>(tile, count, s_ends);
  const bool equals = __syncthreads_or(has_equals<P>(tile, count));
  look_up_ranks<P>(tile, count, s_ends, equals, row_key);
  __syncthreads();
  if (!equals) return;
  tell_equals_apart<P>(count);
  place_by_ranks<P>(tile, count, row_key);
}

using namespace merge_sort;

/// Brings the keys of a tile, as `map` orders them, to shared memory. A barrier.
template <class P, class Map>
__device__ __forceinline__ void load_tile(typename P::Tile tile, typename P::Data from,
                                          unsigned count, const Map& map) {
  auto* const own_keys = &tile.key_at(threadIdx.x);
  for_each_row<P, P::Tile::kCount>(count, [=](unsigned row, unsigned i) {
    gpu::start_copy(own_keys[row * P::Tile::kKeysToNextRow], from.keys[i]);
  });
  wait_for_copies();
  if (!map.changes_nothing()) {  // each thread has copied what it turns
    for_each_row<P, P::Tile::kCount>(count, [=](unsigned row, unsigned) {
      auto& key = own_keys[row * P::Tile::kKeysToNextRow];
      key = map.ordered(key);
    });
  }
  __syncthreads();
}

/// Writes the sorted tile; `map` makes its keys.
template <class P, class Map>
__device__ __forceinline__ void write_tile(typename P::Tile tile, typename P::Data to,
                                           unsigned count, const Map& map) {
  store_tile<P, P::Tile::kCount>(tile, count, to, map, [=](auto* s_values) {
    if constexpr (P::Data::kPairs) {
#pragma unroll 4
      for (unsigned i = threadIdx.x; i < count; i += P::kThreads) {
        start_copy(s_values[i], to.values[i]);
      }
    }
  });
}

/// Sorts each tile of `data`, in place, and samples it. A tile whose input is in order is left
/// alone; any other, or a step down from a tile to the next, raises the flag. One tile alone is
/// sorted sooner with places, as a search waits for step after step.
/// Keys are ordered as `map_in` says, and a tile that is sorted is left as `map_out` says: one tile
/// alone as keys again, many tiles as what orders them. Then `kept`, unless it is null, says which tiles
/// were left alone.
template <class P, bool kByRanks, class MapIn, class MapOut>
__global__ void __launch_bounds__(P::kThreads, P::kBlocks)
    sort_tiles(typename P::Data data, std::size_t n, unsigned* unsorted, typename P::Key* samples,
               MapIn map_in, MapOut map_out, bool* kept, typename P::State state) {
  using Less = typename P::Less;
  hold<Less>(state);
  using Held = std::conditional_t<kByRanks, KeysOf<P>, P>;  // what a thread's chunk is
  const std::size_t begin = std::size_t{blockIdx.x} * P::Tile::kCount;
  const unsigned count = count_in_tile(n, begin, P::Tile::kCount);
  const auto from = data.from(begin);
  const auto tile = P::tile();
  load_tile<P>(tile, from, count, map_in);

  typename Held::Chunk chunk;
  const bool in_order = take_chunk<Held>({tile.keys, tile.places}, count, chunk);
  const bool steps_down = threadIdx.x == P::kThreads - 1 && begin + count < n &&
                          Less{}(map_in.ordered(from.keys[count]), chunk.keys[P::kItems - 1]);
  const bool is_sorted = __syncthreads_and(in_order);
  if (threadIdx.x == P::kThreads - 1 && (!is_sorted || steps_down)) *unsorted = 1;
  if constexpr (kMayChange<MapIn>) {
    if (threadIdx.x == 0 && kept != nullptr) kept[blockIdx.x] = is_sorted;
  }
  if (!is_sorted) {
    fill_up<Held>(threadIdx.x * P::kItems, count, chunk);
    if constexpr (kByRanks) {
      sort_tile_by_ranks<P>(tile, count, chunk, [=](unsigned row) {
        return map_in.ordered(from.keys[row * P::kThreads + threadIdx.x]);
      });
    } else {
      sort_tile<P>(tile, count, chunk);
    }
  }
  store_samples<P>(begin, count, samples, [=](unsigned i) { return tile.key_at(i); });
  if (!is_sorted) write_tile<P>(tile, from, count, map_out);
}

constexpr unsigned kOrderThreads = 256;
constexpr unsigned kOrderBlocksAnSm = 8;

/// Brings the tiles that sort_tiles left alone to the form of the others, unless all is in order.
template <unsigned kTile, class Key, class Map>
__global__ void __launch_bounds__(kOrderThreads)
    order_kept_tiles(Key* keys, std::size_t n, Map map, const unsigned* unsorted, const bool* kept,
                     std::size_t tiles) {
  if (*unsorted == 0) return;
  for (std::size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    if (!kept[tile]) continue;
    Key* const first = keys + tile * kTile;
    const unsigned count = count_in_tile(n, tile * kTile, kTile);
    for (unsigned i = threadIdx.x; i < count; i += kOrderThreads) first[i] = map.ordered(first[i]);
  }
}

}  // namespace sortlab::gpu::merge::multiway
