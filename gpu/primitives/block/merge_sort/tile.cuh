// A tile in shared memory, and the merging of two of its runs by threads that each make one chunk
// of K outputs, without a bank conflict and without a loop whose steps wait for each other.
//
// The left run lies upwards, the right run downwards:
//
//     low ->  L0 L1 L2 .. Li | .. .. .. |  Rj .. R2 R1 R0  <- high
//                |---------|              |------|
//                 the thread's outputs come from here and from here
//
// With diagonal = i + j a multiple of K, the two stretches of a thread hold K items together, and
// their positions, modulo K, are 0 ... K-1, each once: where the left stretch stops the right one
// goes on, as it is stored downwards. So register r takes the one item whose position is r modulo
// K. What a thread then holds goes up and down again, rotated: a bitonic sequence, which a network
// of (K/2) log2 K comparisons sorts. And for a fixed r the 32 lanes of a warp read 32 different
// slots (stretches of K positions) that follow each other, modulo 32; slots are K + 1 words
// apart, so these lie in 32 different banks.
// Source: Merge Path (Odeh, Green et al. 2012); the idea of the gather without conflicts is that of
// Berney and Sitchinava (CF-Merge, 2022).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/primitives/thread/networks.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::merge_sort {

// A thread's chunk of a tile: items in registers, put in order by networks that never branch.
//
// A chunk may carry with each key the place that it had in the tile. Two keys that compare equal
// are then distinguished by their places, so that the networks, which are not stable by themselves,
// make the stable order. Without places equal keys may trade places; whoever leaves places out says
// that equal keys can't be distinguished.
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

// Selects one of three offsets by the position of r relative to two borders, without integer
// instructions. Integer instructions limit a merge: their units have half as many lanes per cycle
// as the multiply-add units.
//
// A float with the value x * 2^-149, x below 2^23, has the bits of the integer x, and additions of
// such floats are exact. saturate(border - r) is 1 below the border and 0 from it on.

/// The float of x * 2^-149.
__device__ __forceinline__ float tiny(int x) {
  return x < 0 ? -__uint_as_float(static_cast<std::uint32_t>(-x))
               : __uint_as_float(static_cast<std::uint32_t>(x));
}

/// at(r) is offset_0 for r < border_0, offset_1 for r < border_1, else offset_2.
class ThreeOffsets {
 public:
  __device__ __forceinline__ ThreeOffsets(unsigned border_0, unsigned border_1, unsigned offset_0,
                                          unsigned offset_1, unsigned offset_2)
      : border_0_(static_cast<float>(border_0)),
        border_1_(static_cast<float>(border_1)),
        step_0_(tiny(static_cast<int>(offset_0 - offset_1))),
        step_1_(tiny(static_cast<int>(offset_1 - offset_2))),
        last_(tiny(static_cast<int>(offset_2))) {}

  __device__ __forceinline__ unsigned at(unsigned r) const {
    const auto below = [r](float border) { return __saturatef(border - static_cast<float>(r)); };
    const float behind_0 = __fmaf_rn(below(border_1_), step_1_, last_);
    return __float_as_uint(__fmaf_rn(below(border_0_), step_0_, behind_0));
  }

 private:
  float border_0_;
  float border_1_;
  float step_0_;
  float step_1_;
  float last_;
};

/// The tile's arrays in shared memory. A position is a number; where it lies is known here only.
template <class KeyT, unsigned kItemsT, unsigned kThreadsT, bool kPlacedT>
struct Tile {
  using Key = KeyT;
  static constexpr unsigned kItems = kItemsT;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr bool kPlaced = kPlacedT;
  static constexpr unsigned kCount = kItems * kThreads;
  // One warp of slots to spare, so that a second pair of runs can begin at a multiple of 32 slots.
  static constexpr unsigned kSlots = kThreads + 32;
  static constexpr unsigned kKeyPitch = kItems + 1;
  static constexpr unsigned kPlacePitch = kKeyPitch;  // one offset for both arrays
  // A row is what one item a thread makes up: the slots of kThreads positions.
  static constexpr int kKeysToNextRow = kThreads / kItems * kKeyPitch;
  static constexpr int kPlacesToNextRow = kThreads / kItems * kPlacePitch;
  static constexpr std::size_t kKeyBytes = (kSlots * kKeyPitch * sizeof(Key) + 15) / 16 * 16;
  static constexpr std::size_t kPlaceBytes = kPlaced ? kSlots * kPlacePitch * 2 : 0;
  static_assert(kSlots * kItems <= 0x10000, "a place is a 16-bit number");
  static_assert((kItems & (kItems - 1)) == 0 && kThreads % 32 == 0 && kThreads % kItems == 0);

  Key* keys;
  std::uint16_t* places;

  __device__ __forceinline__ static unsigned offset_of(unsigned position) {
    return position + position / kItems;
  }
  __device__ __forceinline__ Key& key_at(unsigned position) const {
    return keys[offset_of(position)];
  }
  __device__ __forceinline__ std::uint16_t& place_at(unsigned position) const {
    return places[offset_of(position)];
  }
};

/// Two runs: `left` items upwards from position `low` on, `right` items downwards from high - 1 on.
/// Both positions are multiples of K.
struct Runs {
  unsigned low;
  unsigned high;
  unsigned left;
  unsigned right;

  __device__ __forceinline__ unsigned count() const { return left + right; }
};

/// How many of the first `diagonal` outputs, a multiple of K, come from the left run, whose items
/// are first among equals.
///
/// Left item i competes with right item diagonal - 1 - i, which lies at position high - diagonal +
/// i: both go on by the same steps, and both are i plus a multiple of K. So the search goes over
/// whole slots first, then within one, and a step is a constant distance in the memory.
template <class Less, class T>
__device__ __forceinline__ unsigned outputs_from_left(T tile, Runs runs, unsigned diagonal) {
  constexpr unsigned kItems = T::kItems;
  if (diagonal >= runs.count()) return runs.left;
  const unsigned least = diagonal > runs.right ? diagonal - runs.right : 0;
  const unsigned most = diagonal < runs.left ? diagonal : runs.left;
  const auto* left = &tile.key_at(runs.low + least / kItems * kItems);
  const auto* right = &tile.key_at(runs.high - diagonal + least / kItems * kItems);
  unsigned i = least / kItems * kItems;

  const unsigned slots = most / kItems - least / kItems;
  for (unsigned step = slots == 0 ? 0 : 1u << (31 - __clz(static_cast<int>(slots))); step > 0;
       step /= 2) {
    const unsigned last = step * T::kKeyPitch - 2;  // the last position of `step` slots
    bool passes = i + step * kItems <= most;
    if (passes) passes = !Less{}(right[last], left[last]);
    if (passes) {
      i += step * kItems;
      left += step * T::kKeyPitch;
      right += step * T::kKeyPitch;
    }
  }
#pragma unroll
  for (unsigned step = kItems / 2; step > 0; step /= 2) {
    bool passes = i + step <= most;
    if (passes && i + step > least) passes = !Less{}(right[step - 1], left[step - 1]);
    if (passes) {
      i += step;
      left += step;
      right += step;
    }
  }
  return i;
}

/// A thread's share of the merge: `steps` outputs, `from_left` of them from position `first`
/// upwards, the others from position end - 1 downwards.
struct Share {
  unsigned first;
  unsigned end;
  unsigned from_left;
  unsigned steps;
};

/// Gathers a thread's share without a bank conflict: register r takes the one item whose position is r
/// modulo K. Registers from 0 on cross at most two borders between the stretches and slots:
///
///     right | left | right   or, when the left stretch goes on in its next slot,
///     left  | right | left
template <class T, class C>
__device__ __forceinline__ void gather_share(T tile, const Share& share, C& chunk) {
  constexpr unsigned kItems = T::kItems;
  const unsigned turn = share.first % kItems;
  const unsigned left_slot = share.first / kItems;
  // The slot behind the one that holds the right stretch's register K - 1.
  const unsigned right_next = (share.end - turn) / kItems;
  const unsigned right_slot = right_next == 0 ? 0 : right_next - 1;
  const unsigned stop = turn + share.from_left;
  const bool crosses = stop > kItems;
  const unsigned border_0 = crosses ? stop - kItems : turn;
  const unsigned border_1 = crosses ? turn : stop;
  const unsigned slot_0 = crosses ? left_slot + 1 : right_next;
  const unsigned slot_1 = crosses ? right_next : left_slot;
  const unsigned slot_2 = crosses ? left_slot : right_slot;
  const auto gather = [=](const auto* array, unsigned pitch, auto& registers) {
    const unsigned bytes = pitch * sizeof(*array);
    const ThreeOffsets from(border_0, border_1, slot_0 * bytes, slot_1 * bytes, slot_2 * bytes);
    const auto* const begin = reinterpret_cast<const std::byte*>(array);
#pragma unroll
    for (unsigned r = 0; r < kItems; ++r) {
      registers[r] = reinterpret_cast<decltype(array)>(begin + from.at(r))[r];
    }
  };
  gather(tile.keys, T::kKeyPitch, chunk.keys);
  if constexpr (T::kPlaced) gather(tile.places, T::kPlacePitch, chunk.places);
}

/// Fills the registers that a short share leaves empty with copies of its last item. That keeps the sequence
/// bitonic, and the copies end behind the others.
template <class Less, class T, class C>
__device__ __forceinline__ void fill_share(T tile, const Share& share, C& chunk) {
  constexpr unsigned kItems = T::kItems;
  const unsigned turn = share.first % kItems;
  const unsigned from_right = share.steps - share.from_left;
  const unsigned last_left = share.first + share.from_left - 1;
  const unsigned last_right = share.end - from_right;
  const bool right_is_last =
      from_right > 0 &&
      (share.from_left == 0 || !Less{}(tile.key_at(last_right), tile.key_at(last_left)));
  const unsigned last = right_is_last ? last_right : last_left;
  const auto last_key = tile.key_at(last);
  const unsigned last_place = T::kPlaced ? tile.place_at(last) : 0;
#pragma unroll
  for (unsigned r = 0; r < kItems; ++r) {
    const unsigned turned = (r - turn) % kItems;
    if (turned >= share.from_left && turned < kItems - from_right) {
      chunk.keys[r] = last_key;
      if constexpr (T::kPlaced) chunk.places[r] = last_place;
    }
  }
}

/// Loads a thread's share: a rotation of a bitonic sequence.
template <class Less, class T, class C>
__device__ __forceinline__ void load_share(T tile, const Share& share, C& chunk) {
  gather_share(tile, share, chunk);
  if (share.steps < T::kItems) fill_share<Less>(tile, share, chunk);
}

/// Stores a chunk in a slot, upwards or downwards.
template <class T, class C>
__device__ __forceinline__ void store_chunk(T tile, unsigned slot, bool upwards, const C& chunk) {
  const auto store = [=](auto* array, unsigned pitch, const auto& registers) {
    auto* const to = array + slot * pitch;
    if (upwards) {
#pragma unroll
      for (unsigned r = 0; r < T::kItems; ++r) to[r] = registers[r];
    } else {
#pragma unroll
      for (unsigned r = 0; r < T::kItems; ++r) to[T::kItems - 1 - r] = registers[r];
    }
  };
  store(tile.keys, T::kKeyPitch, chunk.keys);
  if constexpr (T::kPlaced) store(tile.places, T::kPlacePitch, chunk.places);
}

/// The co-rank of the next thread, whatever pair of runs it has; a barrier.
template <class P>
__device__ __forceinline__ unsigned from_next_thread(unsigned mine) {
  __shared__ unsigned s_of_warp[P::kThreads / kWarp + 1];
  if (lane_id() == 0) s_of_warp[warp_id()] = mine;
  const unsigned next = __shfl_down_sync(kAllLanes, mine, 1);
  __syncthreads();
  return lane_id() == kWarp - 1 ? s_of_warp[warp_id() + 1] : next;
}

/// Merges chunk number `number` of a pair of runs into registers; says how many items it holds.
/// neighbour(x) is the value that the thread of the following chunk calls it with.
template <class P, class Neighbour>
__device__ __forceinline__ unsigned merge_chunk(typename P::Tile tile, Runs runs, unsigned number,
                                                typename P::Chunk& chunk, Neighbour neighbour) {
  const unsigned total = runs.count();
  const unsigned mine = outputs_from_left<typename P::Less>(tile, runs, number * P::kItems);
  const unsigned diagonal = min(number * P::kItems, total);
  const unsigned next = neighbour(mine);
  const bool is_last = diagonal + P::kItems >= total;
  const Share share{runs.low + mine, runs.high - (diagonal - mine),
                    (is_last ? runs.left : next) - mine, is_last ? total - diagonal : P::kItems};
  if (share.steps > 0) {
    load_share<typename P::Less>(tile, share, chunk);
    merge_rotated<typename P::Less>(chunk);
  }
  return share.steps;
}

}  // namespace sortlab::gpu::merge_sort
