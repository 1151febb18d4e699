// Segments of up to 256 items: some lanes of a warp sort one in registers, by the bitonic network.
//
//   segment     0 1 2 3 | 4 5 6 7 | ...        a lane loads every kLanes-th item of its segment
//   in order    lane 0: 0 1 2 ... 7 | lane 1: 8 9 ...           values wait in shared memory
//   result      through shared memory: neighbours store neighbours
//
// Segments of a warp that lie one behind the other are stored as one stretch, since lanes that store two words each to
// many places take many times the bandwidth. No barrier, and the same work for any keys.
#pragma once

#include <bit>

#include "gpu/primitives/warp/bitonic_sort.cuh"
#include "gpu/segments/by_class/lists.cuh"

namespace sortlab::gpu::segments {

// Keys of 8 bytes with values: a key has no room for its place. So words hold as many bits of its distance from the
// segment's lowest one as leave room, mostly all, and the keys wait in shared memory, too. Keys that differ in other bits
// alone may come out of order: then the warp sorts again, by whole keys and places.
// measured: 2^24 u64+u32 in segments of 64, us: 318 (this) vs 438 (by whole keys and places); H200,
// h200/attempts/segments.3.txt.xz

/// A key of 8 bytes with its place, as words of 4 bytes: lanes exchange no padding.
struct PlacedKey {
  std::uint32_t low;
  std::uint32_t high;
  std::uint32_t place;

  __device__ std::uint64_t key() const { return std::uint64_t{high} << 32 | low; }
  __device__ friend bool operator<(const PlacedKey& a, const PlacedKey& b) {
    return a.key() < b.key() || (a.key() == b.key() && a.place < b.place);
  }
};

/// What a warp compares: a key, with its place if it has a value.
template <class Bits, class Value>
struct WarpWord {
  using Word = Bits;
  __device__ static Word of(Bits key, unsigned) { return key; }
  __device__ static Word last() { return static_cast<Bits>(~Bits{0}); }
  __device__ static Bits key(Word word) { return word; }
  __device__ static unsigned place(Word) { return 0; }
};
template <class Value>
requires(kValueBytes<Value> > 0) struct WarpWord<std::uint32_t, Value> {
  using Word = std::uint64_t;
  __device__ static Word of(std::uint32_t key, unsigned place) { return Word{key} << 32 | place; }
  __device__ static Word last() { return ~Word{0}; }
  __device__ static std::uint32_t key(Word word) { return static_cast<std::uint32_t>(word >> 32); }
  __device__ static unsigned place(Word word) { return static_cast<unsigned>(word); }
};
/// Words of segments of up to kMost keys of 8 bytes, one for each kLanes lanes.
template <unsigned kLanes, unsigned kMost>
class DistanceWords {
 public:
  template <unsigned kEach>
  __device__ __forceinline__ DistanceWords(const std::uint64_t (&key)[kEach], unsigned length) {
    std::uint64_t lowest = ~std::uint64_t{0};
    std::uint64_t highest = 0;
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      if (j * kLanes + lane_id() % kLanes >= length) continue;
      lowest = min(lowest, key[j]);
      highest = max(highest, key[j]);
    }
#pragma unroll
    for (unsigned distance = 1; distance < kLanes; distance *= 2) {
      lowest = min(lowest, __shfl_xor_sync(kAllLanes, lowest, distance));
      highest = max(highest, __shfl_xor_sync(kAllLanes, highest, distance));
    }
    lowest_ = lowest;
    const auto unused = static_cast<unsigned>(
        __clzll(static_cast<long long>(highest > lowest ? highest - lowest : 1)));
    shift_ = kPlaceBits > unused ? kPlaceBits - unused : 0;
  }
  __device__ __forceinline__ std::uint64_t word(std::uint64_t key, unsigned place) const {
    return (key - lowest_) >> shift_ << kPlaceBits | place;
  }
  __device__ static unsigned place(std::uint64_t word) {
    return static_cast<unsigned>(word) % kMost;
  }

 private:
  static_assert(std::has_single_bit(kMost));
  static constexpr unsigned kPlaceBits = std::bit_width(kMost - 1);
  std::uint64_t lowest_;
  unsigned shift_;
};

constexpr unsigned kWarpsOfBlock = 8;
constexpr unsigned kMostEach = 8;  // items of a lane

/// A warp's items in shared memory, with a gap after each 32, against bank conflicts.
template <class Bits, class Value>
struct WarpStage {
  static constexpr unsigned kSlots = (kWarp + 1) * kMostEach;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;
  Bits keys[kSlots];
  Value values[kPairs ? kSlots : 1];

  __device__ __forceinline__ static unsigned slot(unsigned i) { return i + i / kWarp; }
  __device__ __forceinline__ void put(unsigned i, Bits key, Value value) {
    keys[slot(i)] = key;
    if constexpr (kPairs) values[slot(i)] = value;
  }
};

/// Places of the items in shared memory in the order of their keys, by whole keys. `group` is where those of the segment lie.
template <unsigned kLanes, unsigned kEach, class Stage>
__device__ __noinline__ void sort_by_whole_keys(const Stage& s_stage, unsigned group,
                                                unsigned length, unsigned (&place)[kEach]) {
  PlacedKey word[kEach];
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j) {
    const unsigned i = j * kLanes + lane_id() % kLanes;
    const std::uint64_t key = s_stage.keys[s_stage.slot(group + i)];
    word[j] = i < length ? PlacedKey{static_cast<std::uint32_t>(key),
                                     static_cast<std::uint32_t>(key >> 32), i}
                         : PlacedKey{~0u, ~0u, ~0u};
  }
  sort_in_warp(word, kEach * kLanes);
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j) place[j] = word[j].place;
}

/// Sorts the pairs with keys of 8 bytes of a segment that kLanes lanes hold: lane i has every kLanes-th one from number i
/// on, then kEach neighbours in the order. `group` is where they lie in shared memory.
template <unsigned kLanes, unsigned kEach, class Value>
__device__ __forceinline__ void sort_wide_pairs(std::uint64_t (&key)[kEach], Value (&value)[kEach],
                                                unsigned length, unsigned group,
                                                WarpStage<std::uint64_t, Value>& s_stage) {
  constexpr unsigned kMost = kEach * kLanes;
  const unsigned lane = lane_id() % kLanes;
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j) {
    s_stage.put(group + j * kLanes + lane, key[j], value[j]);
  }
  unsigned place[kEach];
  {
    const DistanceWords<kLanes, kMost> words(key, length);
    std::uint64_t word[kEach];
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      const unsigned i = j * kLanes + lane;
      word[j] = i < length ? words.word(key[j], i) : ~std::uint64_t{0};
    }
    sort_in_warp(word, kMost);
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) place[j] = words.place(word[j]);
  }
  __syncwarp();
  const auto fetch = [&] {
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      if (lane * kEach + j >= length) continue;
      const unsigned slot = s_stage.slot(group + place[j]);
      key[j] = s_stage.keys[slot];
      value[j] = s_stage.values[slot];
    }
  };
  fetch();
  std::uint64_t before = __shfl_up_sync(kAllLanes, key[kEach - 1], 1);
  bool is_unordered = false;
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j) {
    const unsigned i = lane * kEach + j;
    is_unordered |= i > 0 && i < length && key[j] < before;
    before = key[j];
  }
  if (__any_sync(kAllLanes, is_unordered)) {
    sort_by_whole_keys<kLanes>(s_stage, group, length, place);
    fetch();
  }
  __syncwarp();
}

/// The segments of class c, kWarp / kLanes at a time. Block `first_block` begins; returns the block behind the last one
/// that has work.
template <unsigned kLanes, unsigned kEach, class Bits, class Value>
__device__ __forceinline__ std::size_t sort_class(const Members<Bits, Value>& members, unsigned c,
                                                  std::size_t first_block,
                                                  WarpStage<Bits, Value>& s_stage) {
  constexpr bool kPairs = Items<Bits, Value>::kPairs;
  constexpr unsigned kGroups = kWarp / kLanes;
  const std::size_t segments = members.segments(c);
  const std::size_t count = segments + members.pieces(c);
  const unsigned lane = lane_id() % kLanes;
  const std::size_t warps = std::size_t{gridDim.x} * kWarpsOfBlock;
  const std::size_t block = (blockIdx.x + gridDim.x - first_block % gridDim.x) % gridDim.x;
  for (std::size_t first = (block * kWarpsOfBlock + warp_id()) * kGroups; first < count;
       first += warps * kGroups) {
    const std::size_t t = first + lane_id() / kLanes;
    Part<Bits, Value> part{};
    if (t < count) part = members.part(c, t, segments);
    Bits key[kEach]{};
    Value value[kEach]{};
    const unsigned group = lane_id() / kLanes * (kLanes * kEach);  // where its items lie
    if constexpr (kPairs && sizeof(Bits) == 8) {
#pragma unroll
      for (unsigned j = 0; j < kEach; ++j) {
        const unsigned i = j * kLanes + lane;
        if (i < part.length) key[j] = part.key(i);
        if (i < part.length) value[j] = part.value(i);
      }
      sort_wide_pairs<kLanes>(key, value, part.length, group, s_stage);
    } else {
      using W = WarpWord<Bits, Value>;
      typename W::Word word[kEach];
#pragma unroll
      for (unsigned j = 0; j < kEach; ++j) {
        const unsigned i = j * kLanes + lane;
        word[j] = i < part.length ? W::of(part.key(i), i) : W::last();
        if (i < part.length) value[j] = part.value(i);
      }
      if constexpr (kPairs) {
#pragma unroll
        for (unsigned j = 0; j < kEach; ++j) {
          s_stage.values[s_stage.slot(group + j * kLanes + lane)] = value[j];
        }
      }
      sort_in_warp(word, kEach * kLanes);
      if constexpr (kPairs) {
        __syncwarp();
#pragma unroll
        for (unsigned j = 0; j < kEach; ++j) {
          if (lane * kEach + j < part.length) {
            value[j] = s_stage.values[s_stage.slot(group + W::place(word[j]))];
          }
        }
        __syncwarp();
      }
#pragma unroll
      for (unsigned j = 0; j < kEach; ++j) key[j] = W::key(word[j]);
    }

    // One stretch if each segment begins where the one before ends.
    unsigned end = part.length;  // of the segments up to this one
#pragma unroll
    for (unsigned distance = kLanes; distance < kWarp; distance *= 2) {
      const unsigned below = __shfl_up_sync(kAllLanes, end, distance);
      if (lane_id() >= distance) end += below;
    }
    const unsigned begin = end - part.length;
    const std::size_t stretch = __shfl_sync(kAllLanes, part.begin, 0);
    const bool is_stretch =
        __all_sync(kAllLanes, part.length == 0 || part.begin == stretch + begin);
    const unsigned at = is_stretch ? begin : group;
#pragma unroll
    for (unsigned j = 0; j < kEach; ++j) {
      const unsigned i = lane * kEach + j;
      if (i < part.length) s_stage.put(at + i, key[j], value[j]);
    }
    __syncwarp();
    const auto put = [&](std::size_t to, unsigned from) {
      const unsigned slot = s_stage.slot(from);
      members.arrays.put(to, s_stage.keys[slot], s_stage.values[kPairs ? slot : 0]);
    };
    if (is_stretch) {
      const unsigned all = __shfl_sync(kAllLanes, end, kWarp - 1);
#pragma unroll
      for (unsigned j = 0; j < kEach; ++j) {
        const unsigned i = j * kWarp + lane_id();
        if (i < all) put(stretch + i, i);
      }
    } else {
#pragma unroll
      for (unsigned j = 0; j < kEach; ++j) {
        const unsigned i = j * kLanes + lane;
        if (i < part.length) put(part.begin + i, at + i);
      }
    }
    __syncwarp();
  }
  return first_block + ceil_div(count, std::size_t{kGroups * kWarpsOfBlock});
}

/// All segments of up to 256 items, with all warps of the grid. Block `first_block` begins. s_stages has one for each warp.
template <class Bits, class Value>
__device__ __forceinline__ void sort_by_warps(const Members<Bits, Value>& members,
                                              std::size_t first_block,
                                              WarpStage<Bits, Value>* s_stages) {
  auto& s_stage = s_stages[warp_id()];
  first_block = sort_class<32, 8>(members, 5, first_block, s_stage);
  first_block = sort_class<16, 8>(members, 4, first_block, s_stage);
  first_block = sort_class<8, 8>(members, 3, first_block, s_stage);
  first_block = sort_class<4, 8>(members, 2, first_block, s_stage);
  first_block = sort_class<2, 8>(members, 1, first_block, s_stage);
  sort_class<2, 4>(members, 0, first_block, s_stage);
}

}  // namespace sortlab::gpu::segments
