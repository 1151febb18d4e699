// Sorts words in the shared memory of one block, by a bit for each.
//
// The top kMapBits of a word's bits are its number. A bitmap has a bit for each number: a word sets
// that of its own, and how many are set below is where it goes. One atomic, two reads and one write
// a word, and nothing to compare:
//
//     numbers   9 2 5 12 2              a row of the map is 32 bits, here 8
//     map       . . 1 . . 1 . . | . 1 . . 1 . . .       rows begin at 0 and, 2's twin counted, 3
//     sorted    2 5 2'          | 9 12                  row 0 is mixed: a thread sorts it
//
// A word that finds its bit set is a twin. It goes behind the others of its row, and one thread
// sorts the row by whole words. A few of a hundred words are twins if there are 16 times as many
// numbers as words. If there are many, or many in one row, which would keep its thread busy for
// long, it gives up, and another sort has to do the work.
#pragma once

#include <bit>
#include <cstddef>

#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/block/scan.cuh"

namespace sortlab::gpu::radix::top_sweep {

// The words that a leaf of pairs is sorted by.
//
// The items of a leaf share their top bits. A word holds the other bits of a key, and below them
// the place where the item was:
//
//     key     | the same in all of the leaf | low bits |
//     word                         | 0 | low bits | place |
//
// If buckets are small and far apart, a word has no room for all that. Then it takes the first buckets alone.

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
/// buckets are small and far apart these are few, because of the bits for a place among `count`. Then the words
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

template <unsigned kMapBitsT, unsigned kMostMixedT>
struct BitMap {
  static constexpr unsigned kBits = kMapBitsT;
  static constexpr unsigned kRows = 1u << (kBits - 5);
  static constexpr unsigned kMostMixed = kMostMixedT;
  static constexpr unsigned kMostTwins = 5;  // in a row

  uint4 rows[kRows / 4];
  std::uint16_t mixed[kMostMixed];  // rows with twins
  unsigned mixed_count;
  bool is_crowded;

  __device__ unsigned& row(unsigned r) { return (&rows[0].x)[r]; }
};

/// Where a word's bit is.
template <class Map>
struct BitPlace {
  unsigned row;
  unsigned bit;

  template <class Bits>
  __device__ BitPlace(Bits word, unsigned shift) {
    const auto number = static_cast<unsigned>(word >> shift);
    row = number / 32;
    bit = 1u << number % 32;
  }
};

/// Rows' twins are counted in 16 bits each; those become where rows begin.
template <unsigned kThreads, class Map>
__device__ __forceinline__ void begin_rows(Map& map, uint4* counts, unsigned* s_warp_sums) {
  constexpr unsigned kVectors = Map::kRows / 8;
  constexpr unsigned kEach = (kVectors + kThreads - 1) / kThreads;
  unsigned words[kEach][8];  // in each row
  unsigned sum = 0;
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    const unsigned v = threadIdx.x * kEach + e;
    const bool has_rows = v < kVectors;
    const uint4 twins = has_rows ? counts[v] : uint4{};
    const uint4 low = has_rows ? map.rows[2 * v] : uint4{};
    const uint4 high = has_rows ? map.rows[2 * v + 1] : uint4{};
    const unsigned row[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    const unsigned pair[4] = {twins.x, twins.y, twins.z, twins.w};
#pragma unroll
    for (unsigned r = 0; r < 8; ++r) {
      words[e][r] = __popc(row[r]) + (pair[r / 2] >> r % 2 * 16 & 0xffff);
      sum += words[e][r];
    }
  }
  unsigned all;
  unsigned place = block_exclusive_scan<kThreads>(sum, &all, s_warp_sums);
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    const unsigned v = threadIdx.x * kEach + e;
    unsigned pair[4];
#pragma unroll
    for (unsigned r = 0; r < 8; r += 2) {
      pair[r / 2] = place | (place + words[e][r]) << 16;
      place += words[e][r] + words[e][r + 1];
    }
    if (v < kVectors) counts[v] = {pair[0], pair[1], pair[2], pair[3]};
  }
}

/// Sorts a few words, in place.
template <class Bits>
__device__ void sort_by_insertion(Bits* words, unsigned count) {
  for (unsigned i = 1; i < count; ++i) {
    const Bits word = words[i];
    unsigned at = i;
    for (; at > 0 && words[at - 1] > word; --at) words[at] = words[at - 1];
    words[at] = word;
  }
}

/// Empties the map and the rows' counts; a barrier.
template <class Shared>
__device__ __forceinline__ void clear_map(Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  using Map = typename Shared::Map;
  for (unsigned i = threadIdx.x; i < Map::kRows / 4; i += kThreads) s.map.rows[i] = uint4{};
  for (unsigned i = threadIdx.x; i < Map::kRows / 8; i += kThreads) s.counts[i] = uint4{};
  if (threadIdx.x == 0) {
    s.map.mixed_count = 0;
    s.map.is_crowded = false;
  }
  __syncthreads();
}

/// Counts a twin of its row and returns its number, from 1, in 4 bits. The row's first twin puts the row on
/// the list of rows to sort.
template <class Shared>
__device__ __forceinline__ unsigned count_twin(unsigned row, Shared& s) {
  using Map = typename Shared::Map;
  const unsigned half = row % 2 * 16;
  const unsigned before = atomicAdd(&s.pair()[row / 2], 1u << half) >> half & 0xffff;
  if (before == 0) {
    const unsigned mixed = atomicAdd(&s.map.mixed_count, 1u);
    if (mixed < Map::kMostMixed) s.map.mixed[mixed] = static_cast<std::uint16_t>(row);
  }
  if (before >= Map::kMostTwins) s.map.is_crowded = true;
  return (before + 1) % 16;
}

/// Sets the bit of each of the thread's words. Returns 4 bits for each word: which one of its row's
/// twins it is, from 1, or 0 if it is none.
template <class Shared, class Bits>
__device__ __forceinline__ std::uint64_t set_bits(const Bits (&words)[Shared::kItems],
                                                  unsigned count, unsigned shift, Shared& s) {
  std::uint64_t twins = 0;
#pragma unroll
  for (unsigned u = 0; u < Shared::kItems; ++u) {
    if (u * Shared::kThreads + threadIdx.x < count) {
      const BitPlace<typename Shared::Map> place(words[u], shift);
      if (atomicOr(&s.map.row(place.row), place.bit) & place.bit) {
        twins |= std::uint64_t{count_twin(place.row, s)} << 4 * u;
      }
    }
  }
  return twins;
}

/// Puts each word at its place: the beginning of its row plus the number of bits below its own. Twins go
/// behind all others of the row.
template <class Shared, class Bits>
__device__ __forceinline__ void put_by_bits(const Bits (&words)[Shared::kItems], unsigned count,
                                            unsigned shift, std::uint64_t twins, Shared& s) {
#pragma unroll
  for (unsigned u = 0; u < Shared::kItems; ++u) {
    if (u * Shared::kThreads + threadIdx.x < count) {
      const BitPlace<typename Shared::Map> place(words[u], shift);
      const auto twin = static_cast<unsigned>(twins >> 4 * u) % 16;
      const unsigned row = s.map.row(place.row);
      const unsigned before = twin == 0 ? __popc(row & (place.bit - 1)) : __popc(row) + twin - 1;
      s.key()[s.start()[place.row] + before] = words[u];
    }
  }
}

/// Sorts the `mixed` rows that have twins, one thread per row.
template <class Shared>
__device__ __forceinline__ void sort_mixed_rows(unsigned mixed, unsigned count, Shared& s) {
  for (unsigned i = threadIdx.x; i < mixed; i += Shared::kThreads) {
    const unsigned row = s.map.mixed[i];
    const unsigned begin = s.start()[row];
    const unsigned end = row + 1 < Shared::Map::kRows ? s.start()[row + 1] : count;
    sort_by_insertion(s.key() + begin, end - begin);
  }
}

/// Sorts `count` words of `range_bits` bits, all different, which the threads hold, to s.key().
/// Says whether it could; if not, nothing is written there.
template <class Shared, class Bits>
__device__ __forceinline__ bool sort_by_bits(const Bits (&words)[Shared::kItems], unsigned count,
                                             unsigned range_bits, Shared& s) {
  using Map = typename Shared::Map;
  static_assert(Map::kRows <= Shared::kBins, "a count a row");
  static_assert(Shared::kItems <= 16, "twins' numbers are 4 bits of a word each");
  const unsigned shift = range_bits > Map::kBits ? range_bits - Map::kBits : 0;
  clear_map(s);
  const std::uint64_t twins = set_bits(words, count, shift, s);
  __syncthreads();
  const unsigned mixed = s.map.mixed_count;
  if (s.map.is_crowded || mixed > Map::kMostMixed) return false;

  begin_rows<Shared::kThreads>(s.map, s.counts, s.warp_sums);
  __syncthreads();
  put_by_bits(words, count, shift, twins, s);
  __syncthreads();
  sort_mixed_rows(mixed, count, s);
  __syncthreads();
  return true;
}

}  // namespace sortlab::gpu::radix::top_sweep
