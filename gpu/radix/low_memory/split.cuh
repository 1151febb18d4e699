// Splits a range of the array by one digit, in place except for a hole: free memory for about a
// tenth of the keys, which moves through the array as pages.
//
//     keys   [ a a a a | b b b b | c c c c | d d d d ]  hole [ . . . ]    count: where bins begin
//     fill   [ 1 . 0 2 |  ...    |    .    |    .    ]       [ 2 0 1 ]    a page holds one bin
//     order  [ 0 0 0 0 0 . | 1 1 1 1 . | 2 2 2 2 2 2 ]       [ . . . ]    pages to their places
//     mend   [ 0 0 0 0 0 0 | 1 1 1 1 1 | 2 2 2 2 2 2 ]                    the rest to its bins
//
// fill: tiles are read in order. A tile claims places in the bins' sequences of keys. The block
// that claims the first place of a page takes the next free page: first those in the hole, then the
// array's first pages, whose keys have long been read. A block that needs a page begun by another
// block waits until that one publishes its place.
// order: warps move pages. A warp puts its page in the next slot of its bin and continues with the
// page that was there, until it finds an empty slot. A bin's slots fill from below, and its
// remaining old pages are taken from above; one 64-bit word holds both ends.
// mend: a bin rarely begins where a page does. Keys of its last page that reach into the next bin,
// and those that filled no page, fill the gaps at its two ends.
//
// No block waits for one that is not running. Only tiles that have been read claim places, so N
// tiles take fewer pages than N tiles hold plus one page per bin. If the hole has room for these
// and a tile, the next free page belongs to a tile that has begun; and reading a tile needs no
// wait.
// Source: in-place samplesort, IPS4o (Axtmann, Witt, Ferizovic, Sanders 2017), for order and mend.
#pragma once

#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/grid/msd/count.cuh"
#include "gpu/primitives/grid/msd/plan.cuh"

namespace sortlab::gpu::radix::low_memory {

using namespace msd;

/// Keys [begin, end) of the array, all of them in [low, low + 2^range_bits).
struct Stretch {
  std::size_t begin;
  std::size_t end;
  Count low;
  unsigned range_bits;

  SORTLAB_HD std::size_t size() const { return end - begin; }
};

/// The blocks' shared state for the range that they split.
struct SplitState {
  Count counts[kMaxBins];
  Count min;
  Count max;
  Count begin[kMaxBins + 1];           // of each bin, in the array
  Count next[kMaxBins];                // places claimed in each bin
  unsigned first_entry[kMaxBins];      // of each bin's full pages, in the table
  unsigned long long slots[kMaxBins];  // the next to fill; the end of those that hold old pages
  unsigned readers[kMaxBins];          // warps that move a page out of the bin's slots
  unsigned next_tile;
  unsigned next_page;
  unsigned next_in_hole;
  unsigned full_pages;
  unsigned is_unordered;
};

/// The array as pages, and the memory beside it.
template <class BitsT, unsigned kPageKeysT, unsigned kTilePagesT>
struct Paging {
  using Bits = BitsT;
  static constexpr unsigned kKeys = kPageKeysT;          // a page
  static constexpr unsigned kTilePages = kTilePagesT;    // a tile
  static constexpr unsigned kTile = kKeys * kTilePages;  // keys
  static constexpr unsigned kVectorsALane = kKeys / kVector<Bits> / kWarp;
  static_assert(kKeys % (kVector<Bits> * kWarp) == 0);

  Bits* data;
  std::size_t origin;  // where the array's first page begins: on a 16-byte boundary
  KeyMap<Bits> key_map;
  SplitState* state;
  Bits* hole;
  unsigned hole_pages;
  Bits* loose;             // two pages a bin: the keys that fill no page, or do not fit there
  Bits* overhang;          // in place of a page in which the range ends
  unsigned* table;         // where each full page is, by its bin and number: 1 + its number in time
  std::uint8_t* page_bin;  // by its number in time
  unsigned* is_read;       // by tile

  /// The first page that begins at `place` or behind it.
  __device__ std::size_t page_from(std::size_t place) const {
    return place <= origin ? 0 : (place - origin + kKeys - 1) / kKeys;
  }
  __device__ std::size_t place_of(std::size_t page) const { return origin + page * kKeys; }
};

/// A range as pages: those completely in it, and a fragment before and behind them.
struct PageSpan {
  std::size_t first;
  std::size_t end;
  unsigned tiles;  // of whole pages; two more are the fragments

  template <class Paging>
  __device__ PageSpan(const Paging& p, const Stretch& stretch)
      : first(p.page_from(stretch.begin)), end((stretch.end - p.origin) / Paging::kKeys) {
    tiles = static_cast<unsigned>((end - first + Paging::kTilePages - 1) / Paging::kTilePages);
  }
};

template <class Paging>
__device__ Tile tile_of(const Paging& p, const Stretch& stretch, const PageSpan& span,
                        unsigned tile) {
  if (tile == span.tiles) return {stretch.begin, p.place_of(span.first)};
  if (tile > span.tiles) return {p.place_of(span.end), stretch.end};
  const std::size_t page = span.first + std::size_t{tile} * Paging::kTilePages;
  const std::size_t end = page + Paging::kTilePages;
  return {p.place_of(page), p.place_of(end < span.end ? end : span.end)};
}

__device__ inline unsigned digit_bits_of(const Stretch& stretch, unsigned most) {
  return stretch.range_bits < most ? stretch.range_bits : most;
}

// The first phase counts the keys of each bin, and computes the places of bins and pages.

/// Clears the state at the beginning of a split.
template <class Paging>
__device__ void clear_split(const Paging& p, const PageSpan& span) {
  const std::size_t me = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = me; i < span.end - span.first + 2; i += threads) p.table[i] = 0;
  for (std::size_t i = me; i < span.tiles + 2; i += threads) p.is_read[i] = 0;
  SplitState& state = *p.state;
  for (std::size_t i = me; i < kMaxBins; i += threads) {
    state.counts[i] = state.next[i] = 0;
    state.readers[i] = 0;
  }
  if (me == 0) {
    state.min = ~Count{0};
    state.max = 0;
    state.next_tile = state.next_page = state.next_in_hole = state.is_unordered = 0;
  }
}

/// Whether some key of [begin, end) is lower than the one before it, which is in [first, end) too.
/// A block searches until it finds one, which takes little time unless the keys are mostly sorted.
template <unsigned kThreads, class Paging>
__device__ bool is_unordered(const Paging& p, std::size_t first, std::size_t begin,
                             std::size_t end) {
  constexpr unsigned kUnroll = 4;
  for (; begin < end; begin += kUnroll * kThreads) {
    bool has_lower = false;
#pragma unroll
    for (unsigned u = 0; u < kUnroll; ++u) {
      const std::size_t i = begin + u * kThreads + threadIdx.x;
      if (i > first && i < end) {
        has_lower |= p.key_map.ordered(p.data[i]) < p.key_map.ordered(p.data[i - 1]);
      }
    }
    if (__syncthreads_or(has_lower)) return true;
  }
  return false;
}

/// Each block counts the digits of one piece of the range, and checks whether it is in order.
template <unsigned kThreads, class Paging>
__device__ void count_stretch(const Paging& p, const Stretch& stretch, unsigned digit_bits,
                              CountShared<>& s) {
  const Buffers<typename Paging::Bits> buffers{p.data, nullptr, p.key_map, p.data};
  Bucket bucket{};
  bucket.low = stretch.low;
  bucket.range_bits = stretch.range_bits;
  bucket.digit_bits = digit_bits;
  bucket.is_raw = 1;
  for (unsigned b = threadIdx.x; b < kMaxBins; b += kThreads) s.counts[b] = 0;
  if (threadIdx.x == 0) {
    s.min = ~Count{0};
    s.max = 0;
  }
  __syncthreads();
  SplitState& state = *p.state;
  const std::size_t begin = stretch.begin + stretch.size() * blockIdx.x / gridDim.x;
  const std::size_t end = stretch.begin + stretch.size() * (blockIdx.x + 1) / gridDim.x;
  if (is_unordered<kThreads>(p, stretch.begin, begin, end) && threadIdx.x == 0) {
    state.is_unordered = 1;
  }
  count_tile<kThreads>(buffers, bucket, digit_of<typename Paging::Bits>(bucket), {begin, end}, s);
  __syncthreads();
  for (unsigned b = threadIdx.x; b < 1u << digit_bits; b += kThreads) {
    if (s.counts[b] > 0) atomicAdd(&state.counts[b], Count{s.counts[b]});
  }
  if (threadIdx.x == 0) {
    atomicMin(&state.min, s.min);
    atomicMax(&state.max, s.max);
  }
}

/// One block turns counts into places: of the bins, of their slots and of their table entries.
template <unsigned kThreads, class Paging>
__device__ void place_bins(const Paging& p, const Stretch& stretch, const PageSpan& span,
                           unsigned bins, Count* s_warp_sums) {
  SplitState& state = *p.state;
  const unsigned bin = threadIdx.x;
  const Count count = bin < bins ? state.counts[bin] : 0;
  Count all;
  Count all_full;
  const Count begin = stretch.begin + block_exclusive_scan<kThreads>(count, &all, s_warp_sums);
  const Count full = count / Paging::kKeys;
  const Count entry = block_exclusive_scan<kThreads>(full, &all_full, s_warp_sums);
  if (bin < bins) {
    // Pages in the array that hold keys again, once all are filled.
    const std::size_t used = span.first + (all_full > p.hole_pages ? all_full - p.hole_pages : 0);
    const std::size_t first = p.page_from(begin);
    const std::size_t end = p.page_from(begin + count);
    const std::size_t old_end = used < first ? first : used < end ? used : end;
    state.begin[bin] = begin;
    state.first_entry[bin] = static_cast<unsigned>(entry);
    state.slots[bin] = Count{first} << 32 | old_end;
  }
  if (bin == 0) {
    state.begin[bins] = stretch.end;
    state.full_pages = static_cast<unsigned>(all_full);
  }
}

}  // namespace sortlab::gpu::radix::low_memory
