// Sorts a leaf of pairs, stably, in the shared memory of one block.
//
// The items of a leaf share their top bits. A word holds the other bits of a key, and below them
// the place where the item was:
//
//     key     | the same in all of the leaf | low bits |
//     word                         | 0 | low bits | place |
//
// No two words are the same, so any sort of the words is a stable sort of the keys: msd/slot_rank.cuh or
// bit_rank.cuh, or msd/leaf.cuh where many words fall together there. The sorted words are the keys, and tell
// where each value is to be fetched from.
// Of floats that are spread (spread_map.hpp), words hold the keys rather than their numbers: numbers lie far apart, so
// that the copies of a key, of which there are many, would fall together. Neighbouring floats differ by 1, and the
// places below part the copies.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gpu/primitives/block/msd/leaf.cuh"
#include "gpu/primitives/block/msd/slot_rank.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/spread_map.hpp"
#include "gpu/radix/top_sweep/bit_rank.cuh"
#include "gpu/radix/top_sweep/leaf_cut.cuh"
#include "gpu/radix/top_sweep/leaf_result.cuh"

namespace sortlab::gpu::radix::top_sweep {

template <class Words, class MapT, class ValueT>
struct PairLeafShared : Words {
  using Map = MapT;
  using Value = ValueT;
  static constexpr unsigned kPlaceBits = std::bit_width(Words::kMaxKeys);
  static constexpr unsigned kAtOnce = 16 / sizeof(Value);

  Map map;
  // As they lie in the array; the first one begins somewhere in the first 16 bytes.
  alignas(16) Value values[Words::kMaxKeys + kAtOnce];
};

/// The same, for words that are sorted by slots.
template <class Words, class ValueT>
struct SlotPairLeafShared : Words {
  using Value = ValueT;
  static constexpr unsigned kPlaceBits = std::bit_width(Words::kMaxKeys);
  static constexpr unsigned kAtOnce = 16 / sizeof(Value);

  alignas(16) Value values[Words::kMaxKeys + kAtOnce];
};

/// Has `count` values copied to shared memory, 16 bytes at a time; returns where the first one is.
template <class Shared, class Value>
__device__ __forceinline__ const Value* fetch_values(const Value* from, unsigned count, Shared& s) {
  constexpr unsigned kAtOnce = Shared::kAtOnce;
  const unsigned lead = reinterpret_cast<std::uintptr_t>(from) % 16 / sizeof(Value);
  const unsigned end = lead + count;
  for (unsigned i = kAtOnce * threadIdx.x; i < end; i += kAtOnce * Shared::kThreads) {
    if (i >= lead && i + kAtOnce <= end) {
      __pipeline_memcpy_async(s.values + i, from - lead + i, 16);
    } else {
      for (unsigned j = max(i, lead); j < min(i + kAtOnce, end); ++j) {
        __pipeline_memcpy_async(s.values + j, from - lead + j, sizeof(Value));
      }
    }
  }
  __pipeline_commit();
  return s.values + lead;
}

/// The form of a leaf's words: which part of a key each holds.
template <class Bits>
struct WordsOfLeaf {
  Bits base;     // the lowest key of the leaf's first bucket; words hold the distance from it
  Bits buckets;  // the leaf's, less one
  unsigned low_bits;
  unsigned place_bits;
  unsigned key_bits;
  bool has_span = false;
  Bits span = 0;  // if so, of the keys

  __device__ __forceinline__ WordsOfLeaf(const Bits* keys, unsigned count, unsigned low_bits)
      : low_bits(low_bits) {
    const Bits first_bucket = keys[0] >> low_bits;
    base = first_bucket << low_bits;
    buckets = (keys[count - 1] >> low_bits) - first_bucket;
    place_bits = msd::bit_width(count);
    key_bits = wanted_bits();
  }
  /// The bits in which keys of the leaf may differ.
  __device__ __forceinline__ unsigned wanted_bits() const {
    return low_bits + msd::bit_width(buckets);
  }
  __device__ __forceinline__ bool have_room() const {
    return key_bits + place_bits <= 8 * sizeof(Bits);
  }
  /// The greatest number that the leaf's buckets may have.
  __device__ __forceinline__ Bits last_number() const {
    return base + (((buckets + 1) << low_bits) - 1);
  }
  /// Makes the words hold keys instead of numbers, which lie further apart. Call it only if have_room().
  __device__ __forceinline__ void hold_keys(const Spread<Bits>& spread) {
    const Bits first = spread.ordered_up_to(base);
    span = spread.ordered_up_to(last_number()) - first;
    base = first;
    key_bits = msd::bit_width(span);
    has_span = true;
  }
  /// The greatest of all words that there may be.
  __device__ __forceinline__ Bits last() const {
    if (has_span) return ((span + 1) << place_bits) - 1;
    const bool is_cut = key_bits < wanted_bits();
    return is_cut ? ~Bits{0} >> (8 * sizeof(Bits) - (key_bits + place_bits))
                  : ((buckets + 1) << (low_bits + place_bits)) - 1;
  }
};

/// How many of the leaf's `count` keys, as distances from its base, are below `end`, which a bucket begins with: the
/// first ones, as their top bits are in order.
template <class Shared, class Bits>
__device__ __forceinline__ unsigned count_below(Bits end, const Bits (&words)[Shared::kItems],
                                                unsigned count) {
  unsigned below = 0;
#pragma unroll
  for (unsigned u = 0; u < Shared::kItems; ++u) {
    const bool has_item = u * Shared::kThreads + threadIdx.x < count;
    below += __syncthreads_count(has_item && words[u] < end);
  }
  return below;
}

/// Sorts the words to s.key(): by slots or by bits, whichever the leaf's memory is made for. If that fails,
/// by dealing.
template <class Shared, class Bits>
__device__ __forceinline__ void sort_words(const Bits (&words)[Shared::kItems], unsigned count,
                                           const WordsOfLeaf<Bits>& form, unsigned turn,
                                           Shared& s) {
  const unsigned word_bits = form.key_bits + form.place_bits;
  bool is_sorted;
  if constexpr (requires { s.late_count; }) {
    is_sorted = sort_by_slots(words, count, Bits{0}, form.last(), turn, s, [] {});
  } else {
    is_sorted = sort_by_bits(words, count, word_bits, s);
  }
  if (is_sorted) return;
  if (threadIdx.x < 16) s.key()[count + threadIdx.x] = ~Bits{0};
  if (threadIdx.x == 0) s.crowded.count = s.large.count = 0;
  msd::deal(words, count, 0, Bits{0}, word_bits, s);
  msd::sort_dealt(s, count);
}

/// Takes as many of the leaf's `count` items as their words have room for, the first buckets: returns how many. Where
/// buckets are small and far apart these are few, because of the bits that tell a place among `count`. Then the words
/// get fewer such bits, for the buckets before one of the first items.
/// measured: normal keys, us: u32+u32 4.25, 8, 16 million 176, 310, 503 vs 301, 425, 577; u64+u32 4.25, 8, 16 million
/// 294, 476, 802 vs 456, 600, 1073; H100, h100/attempts/sparse.1.txt
template <class Shared, class Bits>
__device__ __forceinline__ unsigned take_fitting(const Bits (&words)[Shared::kItems],
                                                 const Bits* keys, unsigned count,
                                                 WordsOfLeaf<Bits>& form) {
  constexpr unsigned kWordBits = 8 * sizeof(Bits);
  constexpr unsigned kFewestPlaceBits = 5;
  form.key_bits = kWordBits - form.place_bits;
  const unsigned fitting = count_below<Shared>(Bits{1} << form.key_bits, words, count);
  if (fitting >= count / 8) return fitting;
  unsigned place_bits = form.place_bits;
  Bits buckets;  // before that of item number 2^place_bits - 1
  unsigned key_bits;
  do {
    --place_bits;
    buckets = (keys[(1u << place_bits) - 1] - form.base) >> form.low_bits;
    key_bits = form.low_bits + msd::bit_width(buckets);
  } while (place_bits > kFewestPlaceBits && key_bits + place_bits > kWordBits);
  if (buckets == 0) return fitting;
  form.place_bits = place_bits;
  form.key_bits = kWordBits - place_bits;
  return count_below<Shared>(min(buckets << form.low_bits, Bits{1} << form.key_bits), words, count);
}

/// Makes the leaf's keys, which the thread has, what words of this form hold, before the base is taken off: of keys that
/// are spread keys rather than numbers, if there is room. Whether one prefix will do is asked once, not for each key.
template <unsigned kItems, class Bits, class Map>
__device__ __forceinline__ void hold(Bits (&keys)[kItems], WordsOfLeaf<Bits>& form,
                                     const Map& key_map) {
  if constexpr (kMayEscape<Map>) {
    if (!form.have_room()) return;
    const auto nearby = key_map.between(form.base, form.last_number());
    form.hold_keys(*key_map.d_spread);
    if (nearby.have_one_prefix()) {
#pragma unroll
      for (Bits& key : keys) key = nearby.ordered_of_one_prefix(key);
    } else {
#pragma unroll
      for (Bits& key : keys) key = nearby.ordered(key);
    }
  }
}

/// The user's key from that.
template <class Bits, class Map>
__device__ __forceinline__ Bits key_of_held(Bits held, const WordsOfLeaf<Bits>& form,
                                            const Map& key_map) {
  if constexpr (kMayEscape<Map>) {
    if (form.has_span) return key_map.key_map.key(held);
  }
  return key_map.key(held);
}

/// Sorts as many of the items as their words have room for: all, unless the buckets are small and
/// far apart. Returns how many.
template <class Shared, class Bits, class Value, class Map>
__device__ unsigned sort_pair_leaf(Items<Bits, Value> from, LeafResult<Bits, Value> to, Map key_map,
                                   unsigned count, unsigned low_bits, unsigned turn, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kItems = Shared::kItems;
  const Value* const values = fetch_values(from.values, count, s);
  WordsOfLeaf<Bits> form(from.keys, count, low_bits);
  Bits words[kItems];
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const unsigned i = u * kThreads + threadIdx.x;
    words[u] = i < count ? from.keys[i] : Bits{0};
  }
  hold(words, form, key_map);
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    words[u] = u * kThreads + threadIdx.x < count ? words[u] - form.base : Bits{0};
  }
  if (!form.have_room()) {
    count = take_fitting<Shared>(words, from.keys, count, form);
  }
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    words[u] = words[u] << form.place_bits | u * kThreads + threadIdx.x;
  }
  sort_words(words, count, form, turn, s);
  __pipeline_wait_prior(0);
  __syncthreads();

  const Bits place_mask = (Bits{1} << form.place_bits) - 1;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += kThreads) {
    const Bits word = s.key()[i];
    const auto key = [&] {
      return key_of_held(form.base + (word >> form.place_bits), form, key_map);
    };
    to.put(i, key, values[word & place_mask]);
  }
  return count;
}

template <class Shared, unsigned kBlocksAnSm, class Bits, class Value, class Map>
__global__ void __launch_bounds__(Shared::kThreads, kBlocksAnSm)
    sort_pair_leaves(Items<Bits, Value> data, Items<Bits, Value> alternate,
                     LeafResult<Bits, Value> result, Map key_map, const LeafPlan* leaf_plan,
                     const std::size_t* cuts) {
  await_previous_kernel();
  const unsigned low_bits = leaf_plan->low_bits;
  if (low_bits == 0) return;
  auto& s = *reinterpret_cast<Shared*>(dynamic_shared());
  const auto from = leaf_plan->from_alternate ? alternate : data;
  const std::size_t end = cuts[blockIdx.x + 1];
  if constexpr (requires { s.late_count; }) {
    clear_slots(s);
    __syncthreads();
  }
  unsigned turn = 0;
  for (std::size_t begin = cuts[blockIdx.x]; begin < end;) {
    const std::size_t next = end_of_leaf(from.keys, begin, end, low_bits, Shared::kMaxKeys);
    begin += sort_pair_leaf(from.from(begin), result.from(begin), key_map,
                            static_cast<unsigned>(next - begin), low_bits, turn, s);
    turn ^= 1;
    __syncthreads();  // before shared memory is used for the next items
  }
}

}  // namespace sortlab::gpu::radix::top_sweep
