// Deals a part's items to shares: each item goes to the share between whose splitters it lies, and the
// items of a share stay in order.
//
// A block deals a chunk of the part, tile by tile. The chunks' counts of all shares are known before, so a
// block knows where its own run of each share begins: no block waits for another one.
//
//   tile             c a b a c a b b                 kItems rows of a warp's 32 lanes, warp by warp
//   slots            a a a . b b b . c c . .         by share, each run from where its target's line has room
//   targets          ...aaa|   ..bbb|   ..cc.|       whole lines of 32 items, from one warp each
//
// Runs are laid out in shared memory as they will lie in the lines of the target, so every store of a
// warp fills a line, or the rest of one: NVLink is slower for stores across two lines.
//
// What is here needs no CUDA header, so that tests run it on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/utils.hpp"
#include "gpu/parts/splitters.hpp"
#include "gpu/primitives/block/scan.cuh"
#include "gpu/primitives/key_map.hpp"
#include "gpu/primitives/stretch_map.hpp"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::parts {

/// How a block works.
template <class Bits>
struct DealPolicy {
  static constexpr unsigned kThreads = 512;
  static constexpr unsigned kItems = 64 / sizeof(Bits);  // a thread
  static constexpr unsigned kBlocks = 2;                 // an SM
  static constexpr unsigned kWarps = kThreads / kWarp;
  static constexpr unsigned kTile = kThreads * kItems;
  static_assert(kThreads >= kMostShares, "a thread a share");
};

/// A part, cut into chunks of whole tiles.
struct Chunks {
  std::size_t n;
  unsigned tile;
  unsigned blocks;

  SORTLAB_HD std::size_t begin(unsigned block) const {
    const std::size_t tiles = ceil_div(n, std::size_t{tile});
    const std::size_t at = tiles * block / blocks * tile;
    return at < n ? at : n;
  }
};

/// Splitters, in shared memory: 2^bits - 1 of them, the last ones behind all items.
template <class Bits>
struct Bounds {
  const Bits* keys;
  const std::size_t* places;  // first_behind()
  Bits* least;                // of a tile: the least key that belongs behind the splitter
  unsigned bits;
  unsigned shares;

  /// Finds the least keys for a tile of `count` items that begins at `first`. Says whether they do not determine all of its
  /// shares: a splitter's place is in the tile, or only the greatest of all keys would belong behind it, and does not.
  /// All threads of the block call it; two barriers.
  __device__ __forceinline__ bool cuts_ties(std::size_t first, unsigned count) const {
    constexpr Bits kGreatest = static_cast<Bits>(~Bits{0});
    __syncthreads();
    bool cuts = false;
    const unsigned s = threadIdx.x;
    if (s + 1 < 1u << bits) {
      const bool ties_belong = places[s] <= first;
      least[s] = keys[s] + (ties_belong || keys[s] == kGreatest ? 0 : 1);
      cuts = s + 1 < shares && !ties_belong && (places[s] < first + count || keys[s] == kGreatest);
    }
    return __syncthreads_or(cuts) != 0;
  }

  /// The shares of a thread's keys: of each the number of splitters that are not behind it. `place_of(row)` is
  /// a key's place in the part. All keys take a step of their binary search together, so that the loads of
  /// one do not wait for those of another. `share` holds zeros before.
  template <bool kTies, unsigned kItems, class PlaceOf>
  __device__ __forceinline__ void find_shares(const Bits (&key)[kItems], KeyMap<Bits> key_map,
                                              PlaceOf place_of, unsigned (&share)[kItems]) const {
    for (unsigned step = (1u << bits) / 2; step > 0; step /= 2) {
#pragma unroll
      for (unsigned row = 0; row < kItems; ++row) {
        const unsigned probe = share[row] + step - 1;
        const Bits mine = key_map.ordered(key[row]);
        bool is_behind = false;
        if constexpr (kTies) {
          is_behind = keys[probe] < mine || (keys[probe] == mine && places[probe] <= place_of(row));
        } else {
          is_behind = least[probe] <= mine;
        }
        if (is_behind) share[row] += step;
      }
    }
#pragma unroll
    for (unsigned& each : share) each = each < shares ? each : shares - 1;
  }
};

/// The lanes that hold the same number of `bits` bits.
__device__ __forceinline__ unsigned lanes_with_same(unsigned number, unsigned bits) {
  unsigned same = kAllLanes;
  for (unsigned b = 0; b < bits; ++b) {
    const bool is_set = number >> b & 1;
    const unsigned set = __ballot_sync(kAllLanes, is_set);
    same &= is_set ? set : ~set;
  }
  return same;
}

/// Where in its tile a thread's item of a row is.
template <class Bits>
__device__ __forceinline__ unsigned place_in_tile(unsigned row) {
  return (warp_id() * DealPolicy<Bits>::kItems + row) * kWarp + lane_id();
}

/// Finds the shares of a tile of `count` items that begins at `first`. `share` holds zeros before. Two barriers.
template <class Bits>
__device__ __forceinline__ void find_tile_shares(const Bits (&key)[DealPolicy<Bits>::kItems],
                                                 KeyMap<Bits> key_map, std::size_t first,
                                                 unsigned count, const Bounds<Bits>& bounds,
                                                 unsigned (&share)[DealPolicy<Bits>::kItems]) {
  const auto place_of = [=](unsigned row) { return first + place_in_tile<Bits>(row); };
  if (bounds.cuts_ties(first, count)) {
    bounds.template find_shares<true>(key, key_map, place_of, share);
  } else {
    bounds.template find_shares<false>(key, key_map, place_of, share);
  }
}

/// A thread's keys of a tile of `count` items.
template <class Bits>
__device__ __forceinline__ void load_rows(const Bits* keys, unsigned count,
                                          Bits (&key)[DealPolicy<Bits>::kItems]) {
#pragma unroll
  for (unsigned row = 0; row < DealPolicy<Bits>::kItems; ++row) {
    const unsigned i = place_in_tile<Bits>(row);
    key[row] = i < count ? keys[i] : Bits{};
  }
}

/// The counts of a block in shared memory: of each share 2^copy_bits, for different lanes, whose atomics would take turns
/// otherwise.
struct ShareCounts {
  unsigned* counts;
  unsigned copy_bits;

  static constexpr unsigned copy_bits_for(unsigned share_bits) {
    constexpr unsigned kLaneBits = 5, kCountsBits = 10;
    if (share_bits + kLaneBits <= kCountsBits) return kLaneBits;
    return share_bits < kCountsBits ? kCountsBits - share_bits : 0;
  }
  __device__ __forceinline__ unsigned& of(unsigned share) const {
    return counts[share << copy_bits | (lane_id() & ((1u << copy_bits) - 1))];
  }
  __device__ __forceinline__ unsigned sum(unsigned share) const {
    unsigned sum = 0;
    for (unsigned copy = 0; copy < 1u << copy_bits; ++copy)
      sum += counts[share << copy_bits | copy];
    return sum;
  }
};

/// Adds the shares of a tile to the block's counts.
template <class Bits>
__device__ __forceinline__ void count_tile(const Bits* keys, KeyMap<Bits> key_map,
                                           std::size_t first, unsigned count,
                                           const Bounds<Bits>& bounds, ShareCounts counts) {
  Bits key[DealPolicy<Bits>::kItems];
  unsigned share[DealPolicy<Bits>::kItems] = {};
  load_rows(keys + first, count, key);
  find_tile_shares(key, key_map, first, count, bounds, share);
#pragma unroll
  for (unsigned row = 0; row < DealPolicy<Bits>::kItems; ++row) {
    if (place_in_tile<Bits>(row) < count) atomicAdd(&counts.of(share[row]), 1u);
  }
}

/// The shared memory of a block that deals to `shares` shares.
template <class Bits, class Value>
struct DealSpace {
  using Policy = DealPolicy<Bits>;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;

  Bits* slots;               // keys by share; then the values, as Value
  Bits** key_targets;        // where the next item of a share goes
  Value** value_targets;     // of pairs
  Stretch<Bits>* stretches;  // of pairs: how the keys of a share are changed
  unsigned* counts;          // of each warp and share; later where its items go among the share's
  unsigned* begins;          // of a share's items among the slots
  unsigned* totals;          // of a share's items in the tile
  unsigned* warp_sums;       // for the scan
  std::uint8_t* line_share;  // of 32 slots
  unsigned shares;

  /// A run begins up to 31 slots behind a line's begin, and is filled up to a whole line.
  static constexpr std::size_t most_slots(std::size_t shares) {
    return Policy::kTile + 2 * kWarp * shares;
  }
  static constexpr std::size_t bytes(std::size_t shares) {
    return most_slots(shares) * sizeof(Bits) + 2 * shares * sizeof(void*) +
           shares * sizeof(Stretch<Bits>) + (Policy::kWarps + 2) * shares * sizeof(unsigned) +
           Policy::kWarps * sizeof(unsigned) + most_slots(shares) / kWarp;
  }
  static __device__ DealSpace in(std::byte* shared, unsigned shares) {
    const auto take = [&]<class T>(T*& array, std::size_t count) {
      array = reinterpret_cast<T*>(shared);
      shared += count * sizeof(T);
    };
    DealSpace space;
    space.shares = shares;
    take(space.slots, most_slots(shares));
    take(space.key_targets, shares);
    take(space.value_targets, shares);
    take(space.stretches, shares);
    take(space.counts, Policy::kWarps * shares);
    take(space.begins, shares);
    take(space.totals, shares);
    take(space.warp_sums, Policy::kWarps);
    take(space.line_share, most_slots(shares) / kWarp);
    return space;
  }
};

/// Finds the slots of the shares' runs, each as far behind a line's begin as its target is. Returns the lines
/// in use. Two barriers, and one more at the end.
template <class Bits, class Value>
__device__ __forceinline__ unsigned lay_out_runs(const DealSpace<Bits, Value>& s) {
  using Policy = DealPolicy<Bits>;
  const unsigned share = threadIdx.x;
  unsigned total = 0, lead = 0;
  if (share < s.shares) {
    for (unsigned warp = 0; warp < Policy::kWarps; ++warp) {
      unsigned& of_warp = s.counts[warp * s.shares + share];
      const unsigned count = of_warp;
      of_warp = total;
      total += count;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(s.key_targets[share]);
    lead = static_cast<unsigned>(address / sizeof(Bits) % kWarp);
  }
  const unsigned width = total == 0 ? 0 : round_up(lead + total, kWarp);
  unsigned slots = 0;
  const unsigned begin = block_exclusive_scan<Policy::kThreads>(width, &slots, s.warp_sums) + lead;
  if (share < s.shares) {
    s.begins[share] = begin;
    s.totals[share] = total;
  }
  __syncthreads();
  return slots / kWarp;
}

/// Writes the lines of slots to the targets of their shares.
template <class Space, class T>
__device__ __forceinline__ void store_lines(const Space& s, const T* slots, T* const* targets,
                                            unsigned lines) {
#pragma unroll 4
  for (unsigned line = warp_id(); line < lines; line += Space::Policy::kWarps) {
    const unsigned share = s.line_share[line];
    const unsigned slot = line * kWarp + lane_id();
    const unsigned i = slot - s.begins[share];  // huge before the run's begin
    if (i < s.totals[share]) targets[share][i] = slots[slot];
  }
}

/// Of a rank in its tile.
constexpr unsigned kRankBits = 16;

/// Turns shares into share << kRankBits | rank among the warp's items of the share, and writes the warp's counts. Lane s
/// keeps the count of share s in a register: of at most 32 shares.
template <class Bits>
__device__ __forceinline__ void rank_by_lanes(unsigned (&place)[DealPolicy<Bits>::kItems],
                                              unsigned count, unsigned bits, unsigned shares,
                                              unsigned* s_counts) {
  unsigned of_lane = 0;
#pragma unroll
  for (unsigned row = 0; row < DealPolicy<Bits>::kItems; ++row) {
    const unsigned share = place[row];
    unsigned same = __ballot_sync(kAllLanes, place_in_tile<Bits>(row) < count);
    unsigned own = same;
    for (unsigned b = 0; b < bits; ++b) {
      const unsigned set = __ballot_sync(kAllLanes, (share >> b & 1) != 0);
      same &= share >> b & 1 ? set : ~set;
      own &= lane_id() >> b & 1 ? set : ~set;
    }
    const unsigned before = __shfl_sync(kAllLanes, of_lane, static_cast<int>(share));
    place[row] = share << kRankBits | (before + static_cast<unsigned>(__popc(lanes_below(same))));
    of_lane += static_cast<unsigned>(__popc(own));
  }
  if (lane_id() < shares) s_counts[lane_id()] = of_lane;
}

/// The same for any number of shares, with the counts in shared memory.
template <class Bits>
__device__ __forceinline__ void rank_by_counts(unsigned (&place)[DealPolicy<Bits>::kItems],
                                               unsigned count, unsigned bits, unsigned shares,
                                               unsigned* s_counts) {
  for (unsigned share = lane_id(); share < shares; share += kWarp) s_counts[share] = 0;
  __syncwarp();
#pragma unroll
  for (unsigned row = 0; row < DealPolicy<Bits>::kItems; ++row) {
    const unsigned share = place[row];
    const unsigned items = __ballot_sync(kAllLanes, place_in_tile<Bits>(row) < count);
    const unsigned same = lanes_with_same(share, bits) & items;
    const int lowest = same == 0 ? 0 : __ffs(static_cast<int>(same)) - 1;
    unsigned before = 0;
    if (static_cast<int>(lane_id()) == lowest && same != 0) {
      before = atomicAdd(&s_counts[share], static_cast<unsigned>(__popc(same)));
    }
    before = __shfl_sync(kAllLanes, before, lowest);
    place[row] = share << kRankBits | (before + static_cast<unsigned>(__popc(lanes_below(same))));
  }
}

/// The key that goes to a share: of pairs, the number that the key has in the share's stretch, if there is one.
template <class Bits, class Value>
__device__ __forceinline__ Bits key_for(Bits key, [[maybe_unused]] KeyMap<Bits> key_map,
                                        [[maybe_unused]] unsigned share,
                                        [[maybe_unused]] const DealSpace<Bits, Value>& s) {
  if constexpr (Items<Bits, Value>::kPairs) {
    const Stretch<Bits> stretch = s.stretches[share];
    if (stretch.changes()) return stretch.number(key_map.ordered(key));
  }
  return key;
}

/// Deals a tile of `count` items that begins at `first`, whose keys the threads hold, and loads those of the next tile,
/// which has `next_count` items. A barrier comes at the end.
template <class Bits, class Value>
__device__ __forceinline__ void deal_tile(Items<Bits, Value> from, KeyMap<Bits> key_map,
                                          std::size_t first, unsigned count, unsigned next_count,
                                          const Bounds<Bits>& bounds,
                                          const DealSpace<Bits, Value>& s,
                                          Bits (&key)[DealPolicy<Bits>::kItems]) {
  using Policy = DealPolicy<Bits>;
  const auto load_next = [&] { load_rows(from.keys + first + Policy::kTile, next_count, key); };
  // The share; then also the rank among the warp's items of the share; then the slot.
  unsigned place[Policy::kItems] = {};
  find_tile_shares(key, key_map, first, count, bounds, place);
  unsigned* const s_own_counts = s.counts + warp_id() * s.shares;
  if (s.shares <= kWarp) {
    rank_by_lanes<Bits>(place, count, bounds.bits, s.shares, s_own_counts);
  } else {
    rank_by_counts<Bits>(place, count, bounds.bits, s.shares, s_own_counts);
  }
  __syncthreads();
  const unsigned lines = lay_out_runs(s);
#pragma unroll
  for (unsigned row = 0; row < Policy::kItems; ++row) {
    if (place_in_tile<Bits>(row) >= count) continue;
    const unsigned share = place[row] >> kRankBits;
    const unsigned begin = s.begins[share];
    const unsigned slot = begin + s_own_counts[share] + (place[row] & ((1u << kRankBits) - 1));
    place[row] = slot;
    s.slots[slot] = key_for(key[row], key_map, share, s);
    if (slot % kWarp == 0 || slot == begin) {
      s.line_share[slot / kWarp] = static_cast<std::uint8_t>(share);
    }
  }
  __syncthreads();
  if constexpr (Items<Bits, Value>::kPairs) {
    Value value[Policy::kItems] = {};
#pragma unroll
    for (unsigned row = 0; row < Policy::kItems; ++row) {
      const unsigned i = place_in_tile<Bits>(row);
      if (i < count) value[row] = from.values[first + i];
    }
    store_lines(s, s.slots, s.key_targets, lines);
    auto* const s_values = reinterpret_cast<Value*>(s.slots);
    __syncthreads();
#pragma unroll
    for (unsigned row = 0; row < Policy::kItems; ++row) {
      if (place_in_tile<Bits>(row) < count) s_values[place[row]] = value[row];
    }
    __syncthreads();
    load_next();
    store_lines(s, s_values, s.value_targets, lines);
  } else {
    load_next();
    store_lines(s, s.slots, s.key_targets, lines);
  }
  __syncthreads();
  if (threadIdx.x < s.shares) {
    s.key_targets[threadIdx.x] += s.totals[threadIdx.x];
    if constexpr (Items<Bits, Value>::kPairs) {
      s.value_targets[threadIdx.x] += s.totals[threadIdx.x];
    }
  }
}

/// Deals the items [first, end) of a part, tile by tile. All threads must have passed a barrier since the space was written.
template <class Bits, class Value>
__device__ __forceinline__ void deal_items(Items<Bits, Value> from, KeyMap<Bits> key_map,
                                           std::size_t first, std::size_t end,
                                           const Bounds<Bits>& bounds,
                                           const DealSpace<Bits, Value>& s) {
  constexpr std::size_t kTile = DealPolicy<Bits>::kTile;
  const auto count_from = [=](std::size_t tile) {
    return tile >= end ? 0u : static_cast<unsigned>(end - tile < kTile ? end - tile : kTile);
  };
  Bits key[DealPolicy<Bits>::kItems];
  load_rows(from.keys + first, count_from(first), key);
  for (; first < end; first += kTile) {
    deal_tile(from, key_map, first, count_from(first), count_from(first + kTile), bounds, s, key);
  }
}

}  // namespace sortlab::gpu::parts
