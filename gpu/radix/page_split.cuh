// Splits a stretch of the array by one digit, in place but for a hole: room for a tenth of the
// keys or so, which moves through the array as pages.
//
//     keys   [ a a a a | b b b b | c c c c | d d d d ]  hole [ . . . ]    count: where bins begin
//     fill   [ 1 . 0 2 |  ...    |    .    |    .    ]       [ 2 0 1 ]    a page holds one bin
//     order  [ 0 0 0 0 0 . | 1 1 1 1 . | 2 2 2 2 2 2 ]       [ . . . ]    pages to their places
//     mend   [ 0 0 0 0 0 0 | 1 1 1 1 1 | 2 2 2 2 2 2 ]                    loose ends to theirs
//
// fill: tiles are read in order. A tile claims places in the bins' sequences of keys; who claims
// the first place of a page takes the next free one, which is in the hole first and then the
// array's first page, whose keys have long been read. Who meets a page begun by another block waits
// until that one says where it is.
// order: warps carry pages. A warp puts its page in the next slot of its bin and carries on with
// the page that was there, until it meets an empty slot. A bin's slots fill from below, and its
// pages not yet carried are taken from above: both ends in one 64-bit word.
// mend: a bin rarely begins where a page does. Keys of its last page that reach into the next bin,
// and those that filled no page, fill the gaps at its two ends.
//
// Nobody waits for a block that is not running: places are claimed by tiles that are read only, so
// with N tiles read fewer than N tiles + one page a bin are taken. If the hole has room for these
// and a tile, the next free page is of a tile that has begun; and a tile is read without waiting.
// Source: in-place samplesort, IPS4o (Axtmann, Witt, Ferizovic, Sanders 2017), for order and mend.
#pragma once

#include "gpu/primitives/relaxed.cuh"
#include "gpu/radix/msd_partition.cuh"

namespace sortlab::msd {

/// Keys [begin, end) of the array, all of them in [low, low + 2^range_bits).
struct Stretch {
  std::size_t begin;
  std::size_t end;
  Count low;
  unsigned range_bits;

  SORTLAB_HD std::size_t size() const { return end - begin; }
};

/// What the blocks know of the stretch that they split.
struct SplitState {
  Count counts[kMaxBins];
  Count min;
  Count max;
  Count begin[kMaxBins + 1];           // of each bin, in the array
  Count next[kMaxBins];                // places claimed in each bin
  unsigned first_entry[kMaxBins];      // of each bin's full pages, in the table
  unsigned long long slots[kMaxBins];  // the next to fill; the end of those that hold old pages
  unsigned readers[kMaxBins];          // warps that carry away a page from the bin's slots
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
  static constexpr unsigned kVectorsALane = kKeys / kVector<Bits> / gpu::kWarp;
  static_assert(kKeys % (kVector<Bits> * gpu::kWarp) == 0);

  Bits* data;
  std::size_t origin;  // where the array's first page begins: on a 16-byte boundary
  gpu::KeyMap<Bits> key_map;
  SplitState* state;
  Bits* hole;
  unsigned hole_pages;
  Bits* loose;             // two pages a bin: the keys that fill no page, or have no room there
  Bits* overhang;          // instead of a page that the stretch ends in
  unsigned* table;         // where each full page is, by its bin and number: 1 + its number in time
  std::uint8_t* page_bin;  // by its number in time
  unsigned* is_read;       // by tile

  /// The first page that begins at `place` or behind it.
  __device__ std::size_t page_from(std::size_t place) const {
    return place <= origin ? 0 : (place - origin + kKeys - 1) / kKeys;
  }
  __device__ std::size_t place_of(std::size_t page) const { return origin + page * kKeys; }
};

/// A stretch as pages: those that lie in it as a whole, and a fragment before and behind them.
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

// ---- Count ----

/// Clears what the split of a stretch begins with.
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
/// A block looks until it finds one: that is at once, unless the keys are mostly sorted.
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

/// Each block counts the digits of one piece of the stretch, and sees whether it is in order.
template <unsigned kThreads, class Paging>
__device__ void count_stretch(const Paging& p, const Stretch& stretch, unsigned digit_bits,
                              CountShared& s) {
  const Buffers<typename Paging::Bits> buffers{p.data, nullptr, p.key_map};
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
  count_tile<kThreads>(buffers, bucket, {begin, end}, s);
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

// ---- Fill ----

/// Waits until another block has written a word that is not 0.
__device__ __forceinline__ unsigned wait_for(const unsigned* word) {
  unsigned value = gpu::load_relaxed(word);
  while (value == 0) value = gpu::load_relaxed(word);
  return value;
}

/// Shared memory of a block that fills pages from a tile.
template <class PagingT, unsigned kThreadsT, unsigned kItemsT, unsigned kBinsT>
struct FillShared {
  using Paging = PagingT;
  using Bits = typename Paging::Bits;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;
  static constexpr unsigned kBins = kBinsT;
  static_assert(kThreads * kItems == Paging::kTile && kBins <= kThreads);
  static_assert(Paging::kTile < 1u << 16);

  /// Key i of the tile, of this bin, goes to place (shift + i) of the pages from `first_page` on.
  struct Run {
    unsigned shift;
    unsigned first_page;
  };

  Vector<Bits> keys[Paging::kTile / kVector<Bits>];
  // Bin b, whose keys begin at i, meets fewer pages than would reach the entry of the next bin.
  static constexpr unsigned kPages = 2 * kBins + Paging::kTilePages + 1;
  Bits* page[kPages];
  Run run[kBins];
  unsigned counts[kBins];  // then where in `keys` each bin starts
  unsigned warp_sums[kThreads / gpu::kWarp];
  unsigned tile;

  __device__ Bits* tile_keys() { return keys[0].key; }
  static __device__ unsigned first_page(unsigned bin, unsigned start) {
    return 2 * bin + start / Paging::kKeys;
  }
};

template <class Paging>
__device__ typename Paging::Bits* page_in_time(const Paging& p, const PageSpan& span,
                                               unsigned number) {
  if (number < p.hole_pages) return p.hole + std::size_t{number} * Paging::kKeys;
  return p.data + p.place_of(span.first + (number - p.hole_pages));
}

/// Lanes take the next free pages, `pages` each; where the lane's begin.
__device__ inline unsigned take_pages(SplitState& state, unsigned pages) {
  constexpr unsigned kLast = gpu::kWarp - 1;
  const unsigned inclusive = gpu::warp_inclusive_scan(pages);
  unsigned first = 0;
  if (gpu::lane_id() == kLast && inclusive > 0) first = atomicAdd(&state.next_page, inclusive);
  return __shfl_sync(gpu::kAllLanes, first, kLast) + inclusive - pages;
}

/// Page `number` becomes page `entry` of the table, as soon as its keys are read.
template <class Paging>
__device__ typename Paging::Bits* open_page(const Paging& p, const PageSpan& span, unsigned number,
                                            unsigned bin, std::size_t entry) {
  p.page_bin[number] = static_cast<std::uint8_t>(bin);
  if (number >= p.hole_pages) {
    wait_for(&p.is_read[(number - p.hole_pages) / Paging::kTilePages]);
    __threadfence();
  }
  gpu::store_relaxed(&p.table[entry], number + 1);
  return page_in_time(p, span, number);
}

/// Claims the tile's places in each bin, and finds their pages. Counts become starts.
template <class Shared>
__device__ void claim_places(const typename Shared::Paging& p, const PageSpan& span, unsigned bins,
                             Shared& s) {
  using Paging = typename Shared::Paging;
  const unsigned bin = threadIdx.x;
  const unsigned count = bin < bins ? s.counts[bin] : 0;
  const Count place = count > 0 ? atomicAdd(&p.state->next[bin], Count{count}) : 0;
  unsigned all;
  const unsigned start = block_exclusive_scan<Shared::kThreads>(count, &all, s.warp_sums);
  const unsigned before = static_cast<unsigned>(place % Paging::kKeys);  // keys of others
  const std::size_t page = place / Paging::kKeys;
  const unsigned first = Shared::first_page(bin, start);
  if (bin < bins) {
    s.counts[bin] = start;
    s.run[bin] = {before - start, first};
  }
  std::size_t entry = 0;
  unsigned begun = 0;  // pages [begun, end) of the run are new; one before that is another block's
  unsigned end = 0;
  if (count > 0) {
    const std::size_t full = p.state->counts[bin] / Paging::kKeys;
    entry = p.state->first_entry[bin] + page;
    end = (before + count + Paging::kKeys - 1) / Paging::kKeys;
    if (page + end > full) {
      s.page[first + --end] = p.loose + std::size_t{bin} * 2 * Paging::kKeys;
    }
    begun = before > 0 && end > 0 ? 1 : 0;
  }
  const bool waits = begun > 0;
  const unsigned number = take_pages(*p.state, end - begun);
  for (unsigned j = begun; j < end; ++j) {
    s.page[first + j] = open_page(p, span, number + (j - begun), bin, entry + j);
  }
  __syncwarp();  // what others wait for is done before this warp waits
  if (waits) s.page[first] = page_in_time(p, span, wait_for(&p.table[entry]) - 1);
  __threadfence();
}

template <class Shared>
__device__ void fill_pages(const typename Shared::Paging& p, const Stretch& stretch,
                           const PageSpan& span, unsigned digit_bits, Shared& s) {
  using Paging = typename Shared::Paging;
  using Bits = typename Paging::Bits;
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kItems = Shared::kItems;
  const auto low = static_cast<Bits>(stretch.low);
  const unsigned shift = stretch.range_bits - digit_bits;
  const unsigned bins = 1u << digit_bits;
  const gpu::KeyMap<Bits> key_map = p.key_map;
  for (;;) {
    __syncthreads();  // the tile before is written
    if (threadIdx.x == 0) s.tile = atomicAdd(&p.state->next_tile, 1u);
    for (unsigned b = threadIdx.x; b < bins; b += kThreads) s.counts[b] = 0;
    __syncthreads();
    if (s.tile >= span.tiles + 2) return;
    const Tile tile = tile_of(p, stretch, span, s.tile);
    const auto count = static_cast<unsigned>(tile.end - tile.begin);
    const bool is_full = count == Paging::kTile;

    Bits key[kItems];
    unsigned rank[kItems / 2];
    load_tile<kThreads>(p.data + tile.begin, count, key_map, is_full, key);
    if (is_full && !is_crowded(bin_of(key[0], low, shift))) {
      rank_keys<kThreads, kItems, false>(key, low, shift, count, true, s.counts, rank);
    } else {
      rank_keys<kThreads, kItems, true>(key, low, shift, count, is_full, s.counts, rank);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      gpu::store_relaxed(&p.is_read[s.tile], 1);
    }
    claim_places(p, span, bins, s);
    __syncthreads();
    forget_derived(key);
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      const unsigned mine = u % 2 == 0 ? rank[u / 2] & 0xffff : rank[u / 2] >> 16;
      if (is_full || u * kThreads + threadIdx.x < count) {
        s.tile_keys()[s.counts[bin_of(key[u], low, shift)] + mine] = key[u];
      }
    }
    __syncthreads();
#pragma unroll 4
    for (unsigned i = threadIdx.x; i < count; i += kThreads) {
      const Bits k = s.tile_keys()[i];
      const auto run = s.run[bin_of(k, low, shift)];
      const unsigned place = run.shift + i;
      s.page[run.first_page + place / Paging::kKeys][place % Paging::kKeys] = key_map.key(k);
    }
  }
}

// ---- Order ----

/// A page in a warp's registers, and its bin.
template <class Paging>
struct CarriedPage {
  uint4 v[Paging::kVectorsALane];
  unsigned bin;

  __device__ void load(const typename Paging::Bits* from) {
#pragma unroll
    for (unsigned u = 0; u < Paging::kVectorsALane; ++u) v[u] = __ldcg(at(from) + u * gpu::kWarp);
  }
  __device__ void store(typename Paging::Bits* to) const {
#pragma unroll
    for (unsigned u = 0; u < Paging::kVectorsALane; ++u) at(to)[u * gpu::kWarp] = v[u];
  }

 private:
  static __device__ uint4* at(const typename Paging::Bits* page) {
    return reinterpret_cast<uint4*>(const_cast<typename Paging::Bits*>(page)) + gpu::lane_id();
  }
};

struct Slots {
  unsigned next;
  unsigned old_end;
  explicit __device__ Slots(unsigned long long word)
      : next(static_cast<unsigned>(word >> 32)), old_end(static_cast<unsigned>(word)) {}
};

constexpr unsigned kNone = ~0u;

/// Takes the uppermost old page of a bin, from `bin` on round all. kNone when no bin has one left.
template <class Paging>
__device__ bool take_old_page(const Paging& p, const PageSpan& span, unsigned bins, unsigned& bin,
                              CarriedPage<Paging>& page) {
  for (unsigned step = 0; step < bins; step += gpu::kWarp) {
    const unsigned candidate = (bin + step + gpu::lane_id()) % bins;
    const Slots seen(__ldcg(&p.state->slots[candidate]));
    unsigned having = __ballot_sync(gpu::kAllLanes, seen.next < seen.old_end);
    while (having != 0) {
      const int lane = __ffs(static_cast<int>(having)) - 1;
      having &= having - 1;
      const unsigned from = __shfl_sync(gpu::kAllLanes, candidate, lane);
      unsigned taken = kNone;
      if (gpu::lane_id() == 0) {
        atomicAdd(&p.state->readers[from], 1u);
        __threadfence();
        unsigned long long word = __ldcg(&p.state->slots[from]);
        while (Slots(word).next < Slots(word).old_end) {
          const unsigned long long old = atomicCAS(&p.state->slots[from], word, word - 1);
          if (old == word) {
            taken = Slots(word).old_end - 1;
            break;
          }
          word = old;
        }
      }
      taken = __shfl_sync(gpu::kAllLanes, taken, 0);
      if (taken != kNone) {
        page.bin = p.page_bin[taken - span.first + p.hole_pages];
        page.load(p.data + p.place_of(taken));
      }
      __syncwarp();
      if (gpu::lane_id() == 0) {
        __threadfence();
        atomicSub(&p.state->readers[from], 1u);
      }
      if (taken != kNone) {
        bin = from;
        return true;
      }
    }
  }
  return false;
}

/// Claims the next slot of a bin: lane 0 returns its slots as they were.
template <class Paging>
__device__ unsigned long long claim_slot(const Paging& p, unsigned bin) {
  return gpu::lane_id() == 0 ? atomicAdd(&p.state->slots[bin], 1ull << 32) : 0;
}

/// Puts the page where it belongs, then the page that was there, and so on, until a slot is empty.
template <class Paging>
__device__ void put_pages(const Paging& p, const PageSpan& span, CarriedPage<Paging>& page) {
  unsigned long long word = claim_slot(p, page.bin);
  for (;;) {
    const Slots slots(__shfl_sync(gpu::kAllLanes, word, 0));
    if (slots.next >= slots.old_end) {
      if (gpu::lane_id() == 0) {
        while (gpu::load_relaxed(&p.state->readers[page.bin]) != 0) {
        }
        __threadfence();
      }
      __syncwarp();
      page.store(slots.next < span.end ? p.data + p.place_of(slots.next) : p.overhang);
      return;
    }
    CarriedPage<Paging> old;
    old.bin = p.page_bin[slots.next - span.first + p.hole_pages];
    if (old.bin == page.bin) {  // it is where it belongs
      word = claim_slot(p, page.bin);
    } else {
      typename Paging::Bits* const slot = p.data + p.place_of(slots.next);
      old.load(slot);
      word = claim_slot(p, old.bin);  // while the page is on its way
      page.store(slot);
      page = old;
    }
  }
}

/// Takes a page from the hole.
template <class Paging>
__device__ bool take_from_hole(const Paging& p, unsigned in_hole, CarriedPage<Paging>& page) {
  unsigned number = 0;
  if (gpu::lane_id() == 0) number = atomicAdd(&p.state->next_in_hole, 1u);
  number = __shfl_sync(gpu::kAllLanes, number, 0);
  if (number >= in_hole) return false;
  page.bin = p.page_bin[number];
  page.load(p.hole + std::size_t{number} * Paging::kKeys);
  return true;
}

template <class Paging>
__device__ void order_pages(const Paging& p, const PageSpan& span, unsigned bins) {
  CarriedPage<Paging> page;
  const unsigned full = p.state->full_pages;
  const unsigned in_hole = full < p.hole_pages ? full : p.hole_pages;
  unsigned bin = (blockIdx.x * (blockDim.x / gpu::kWarp) + gpu::warp_id()) % bins;
  bool hole_has_pages = true;
  for (;;) {
    if (hole_has_pages) hole_has_pages = take_from_hole(p, in_hole, page);
    if (!hole_has_pages && !take_old_page(p, span, bins, bin, page)) return;
    put_pages(p, span, page);
  }
}

// ---- Mend ----

/// A bin: where it begins and ends, and where the page slots that it filled begin and end.
struct BinPlaces {
  std::size_t begin;
  std::size_t end;
  std::size_t slots_begin;
  std::size_t slots_end;
  unsigned loose;  // keys that filled no page

  template <class Paging>
  __device__ BinPlaces(const Paging& p, unsigned bin)
      : begin(p.state->begin[bin]), end(p.state->begin[bin + 1]) {
    const std::size_t first = p.page_from(begin);
    const std::size_t full = (end - begin) / Paging::kKeys;
    slots_begin = p.place_of(first);
    slots_end = p.place_of(first + full);
    loose = static_cast<unsigned>((end - begin) % Paging::kKeys);
  }
};

/// Puts aside the keys of a bin's last page that reach into the next bin.
template <class Paging>
__device__ void cut_overhang(const Paging& p, const PageSpan& span, unsigned bins) {
  for (unsigned bin = blockIdx.x; bin < bins; bin += gridDim.x) {
    const BinPlaces at(p, bin);
    if (at.slots_end <= at.end || at.slots_begin == at.slots_end) continue;
    const std::size_t last = at.slots_end - Paging::kKeys;
    const bool is_aside = last == p.place_of(span.end);
    const auto* const page = is_aside ? p.overhang : p.data + last;
    auto* const loose = p.loose + std::size_t{bin} * 2 * Paging::kKeys + at.loose;
    for (unsigned i = threadIdx.x; i < Paging::kKeys; i += blockDim.x) {
      const std::size_t place = last + i;
      if (place >= at.end) {
        loose[place - at.end] = page[i];
      } else if (is_aside) {
        p.data[place] = page[i];
      }
    }
  }
}

/// Fills the gaps of each bin, before its first page and behind its last.
template <class Paging>
__device__ void fill_gaps(const Paging& p, unsigned bins) {
  for (unsigned bin = blockIdx.x; bin < bins; bin += gridDim.x) {
    const BinPlaces at(p, bin);
    const auto* const loose = p.loose + std::size_t{bin} * 2 * Paging::kKeys;
    const std::size_t head_end = at.slots_begin < at.end ? at.slots_begin : at.end;
    const std::size_t head = head_end - at.begin;
    const std::size_t tail = at.slots_end < at.end ? at.end - at.slots_end : 0;
    for (std::size_t i = threadIdx.x; i < head + tail; i += blockDim.x) {
      p.data[i < head ? at.begin + i : at.slots_end + (i - head)] = loose[i];
    }
  }
}

}  // namespace sortlab::msd
