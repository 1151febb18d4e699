// The second phase of a split by pages (split.cuh): tiles are dealt into pages of one bin each.
#pragma once

#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/grid/msd/scatter.cuh"
#include "gpu/primitives/grid/relaxed.cuh"
#include "gpu/radix/low_memory/split.cuh"

namespace sortlab::gpu::radix::low_memory {

/// Waits until another block has written a word that is not 0.
__device__ __forceinline__ unsigned wait_for(const unsigned* word) {
  unsigned value = load_relaxed(word);
  while (value == 0) value = load_relaxed(word);
  return value;
}

/// Thread t's keys of a tile, as ones that sort.
template <unsigned kThreads, unsigned kItems, class Bits>
__device__ __forceinline__ void load_tile(const Bits* from, unsigned count, KeyMap<Bits> key_map,
                                          bool is_full, Bits (&key)[kItems]) {
  load_raw_tile<kThreads>(from, count, is_full, key);
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) key[u] = key_map.ordered(key[u]);
}

/// Ranks of two keys, 16 bits each.
template <unsigned kThreads, unsigned kItems, bool kCrowded, class Bits>
__device__ __forceinline__ void rank_keys(const Bits (&key)[kItems], Bits low, unsigned shift,
                                          unsigned count, bool is_full, unsigned* s_counts,
                                          unsigned (&rank)[kItems / 2]) {
#pragma unroll
  for (unsigned u = 0; u < kItems; ++u) {
    const bool has_key = is_full || u * kThreads + threadIdx.x < count;
    const unsigned mine = claim_rank<kCrowded>(s_counts, bin_of(key[u], low, shift), has_key);
    rank[u / 2] = u % 2 == 0 ? mine : rank[u / 2] | mine << 16;
  }
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
  unsigned warp_sums[kThreads / kWarp];
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
  constexpr unsigned kLast = kWarp - 1;
  const unsigned inclusive = warp_inclusive_scan(pages);
  unsigned first = 0;
  if (lane_id() == kLast && inclusive > 0) first = atomicAdd(&state.next_page, inclusive);
  return __shfl_sync(kAllLanes, first, kLast) + inclusive - pages;
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
  store_relaxed(&p.table[entry], number + 1);
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

/// The keys of a tile that a thread holds, as ones that sort, and the rank of each in its bin.
template <class Shared>
struct RankedKeys {
  using Bits = typename Shared::Bits;
  static constexpr unsigned kThreads = Shared::kThreads;
  static constexpr unsigned kItems = Shared::kItems;
  Bits key[kItems];
  unsigned rank[kItems / 2];  // 16 bits each

  /// Loads and ranks the keys, which counts them by bin from zero. Counts are complete at the next
  /// barrier.
  __device__ __forceinline__ void load(const Bits* from, unsigned count, bool is_full,
                                       const KeyMap<Bits>& key_map, Bits low, unsigned shift,
                                       Shared& s) {
    load_tile<kThreads>(from, count, key_map, is_full, key);
    if (is_full && !is_crowded(bin_of(key[0], low, shift))) {
      rank_keys<kThreads, kItems, false>(key, low, shift, count, true, s.counts, rank);
    } else {
      rank_keys<kThreads, kItems, true>(key, low, shift, count, is_full, s.counts, rank);
    }
  }

  /// Puts the keys in shared memory by bin; the counts have become where each begins.
  __device__ __forceinline__ void put_in_bins(unsigned count, bool is_full, Bits low,
                                              unsigned shift, Shared& s) {
    forget_derived(key);
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      const unsigned mine = u % 2 == 0 ? rank[u / 2] & 0xffff : rank[u / 2] >> 16;
      if (is_full || u * kThreads + threadIdx.x < count) {
        s.tile_keys()[s.counts[bin_of(key[u], low, shift)] + mine] = key[u];
      }
    }
  }
};

/// Publishes that the tile's keys are read: its pages are free.
template <class Paging>
__device__ __forceinline__ void free_tile(const Paging& p, unsigned tile) {
  if (threadIdx.x == 0) {
    __threadfence();
    store_relaxed(&p.is_read[tile], 1);
  }
}

/// Writes the tile's keys, which lie by bin in shared memory, to the pages of their bins.
template <class Shared>
__device__ __forceinline__ void write_pages(unsigned count,
                                            const KeyMap<typename Shared::Bits>& key_map,
                                            typename Shared::Bits low, unsigned shift, Shared& s) {
  using Paging = typename Shared::Paging;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < count; i += Shared::kThreads) {
    const auto k = s.tile_keys()[i];
    const auto run = s.run[bin_of(k, low, shift)];
    const unsigned place = run.shift + i;
    s.page[run.first_page + place / Paging::kKeys][place % Paging::kKeys] = key_map.key(k);
  }
}

/// Deals tile after tile of the range into pages, until there are no more.
template <class Shared>
__device__ void fill_pages(const typename Shared::Paging& p, const Stretch& stretch,
                           const PageSpan& span, unsigned digit_bits, Shared& s) {
  using Paging = typename Shared::Paging;
  using Bits = typename Paging::Bits;
  const auto low = static_cast<Bits>(stretch.low);
  const unsigned shift = stretch.range_bits - digit_bits;
  const unsigned bins = 1u << digit_bits;
  const KeyMap<Bits> key_map = p.key_map;
  for (;;) {
    __syncthreads();  // the tile before is written
    if (threadIdx.x == 0) s.tile = atomicAdd(&p.state->next_tile, 1u);
    for (unsigned b = threadIdx.x; b < bins; b += Shared::kThreads) s.counts[b] = 0;
    __syncthreads();
    if (s.tile >= span.tiles + 2) return;
    const Tile tile = tile_of(p, stretch, span, s.tile);
    const auto count = static_cast<unsigned>(tile.end - tile.begin);
    const bool is_full = count == Paging::kTile;

    RankedKeys<Shared> keys;
    keys.load(p.data + tile.begin, count, is_full, key_map, low, shift, s);
    __syncthreads();
    free_tile(p, s.tile);
    claim_places(p, span, bins, s);
    __syncthreads();
    keys.put_in_bins(count, is_full, low, shift, s);
    __syncthreads();
    write_pages(count, key_map, low, shift, s);
  }
}

}  // namespace sortlab::gpu::radix::low_memory
