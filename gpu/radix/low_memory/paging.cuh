// The array as pages, with a hole and a table of pages beside it: the data structures of split.cuh.
#pragma once

#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/grid/msd/tile.cuh"

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

}  // namespace sortlab::gpu::radix::low_memory
