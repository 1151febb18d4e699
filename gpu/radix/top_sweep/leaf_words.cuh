// The words that a leaf of pairs is sorted by.
//
// The items of a leaf share their top bits. A word holds the other bits of a key, and below them
// the place where the item was:
//
//     key     | the same in all of the leaf | low bits |
//     word                         | 0 | low bits | place |
//
// If buckets are small and far apart, a word has no room for all that. Then it takes the first buckets alone.
#pragma once

#include <bit>
#include <cstddef>

#include "gpu/primitives/block/msd/keys.cuh"

namespace sortlab::gpu::radix::top_sweep {

/// The form of a leaf's words: which part of a key each holds.
template <class Bits>
struct WordsOfLeaf {
  Bits base;     // the lowest key of the leaf's first bucket; words hold the distance from it
  Bits buckets;  // the leaf's, less one
  unsigned low_bits;
  unsigned place_bits;
  unsigned key_bits;

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
  /// The greatest of all words that there may be.
  __device__ __forceinline__ Bits last() const {
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

/// Takes as many of the leaf's `count` items as their words have room for, the first buckets: returns how many. Where
/// buckets are small and far apart these are few, because of the bits that tell a place among `count`. Then the words
/// get fewer such bits, for the buckets before one of the first items.
/// measured: normal keys, us: u32+u32 8, 16 million 310, 503 vs 425, 577; u64+u32 4.25, 8, 16 million 298, 476, 802 vs
/// 456, 600, 1073; H100, h100/attempts/sparse.1.txt
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

}  // namespace sortlab::gpu::radix::top_sweep
