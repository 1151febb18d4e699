// Items in bins: a block counts them into bins in shared memory, and puts each among those of its
// bin. Any monotone map of items to bins will do: a bin holds neighbours in the order to come.
#pragma once

#include <bit>

#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::radix::small {

constexpr unsigned kMostInBin = 64;  // more are a crowd
constexpr unsigned kWindow = 8;      // items that a thread sorts (windows.cuh)

/// Where item p lies in an array in shared memory: the 16-byte pieces of a window are swapped, in
/// other ways in the next window, so that threads that read a window each, a piece at a time, meet
/// no bank conflicts.
template <class T>
__host__ __device__ constexpr unsigned slot(unsigned p) {
  constexpr unsigned kPiece = 16 / sizeof(T);
  return p ^ (p / kWindow & (kWindow - kPiece));
}

/// Items in shared memory, in slots.
template <class BitsT, class PlaceT>
struct SlottedItems {
  using Bits = BitsT;
  using Place = PlaceT;
  static constexpr bool kPairs = Items<Bits, Place>::kPairs;

  Bits* keys;
  std::uint32_t* places;

  __device__ __forceinline__ Item<Bits, Place> operator[](unsigned p) const {
    if constexpr (kPairs) {
      return {keys[slot<Bits>(p)], places[slot<std::uint32_t>(p)]};
    } else {
      return {keys[slot<Bits>(p)], {}};
    }
  }
  __device__ __forceinline__ void put(unsigned p, Item<Bits, Place> item) const {
    keys[slot<Bits>(p)] = item.key;
    if constexpr (kPairs) places[slot<std::uint32_t>(p)] = item.value;
  }
};

/// Place is std::uint32_t, or NoValue for keys alone.
template <class BitsT, class PlaceT, unsigned kThreadsT, unsigned kCapacityT>
struct BlockSortShared {
  using Bits = BitsT;
  using Place = PlaceT;
  static constexpr bool kPairs = Items<Bits, Place>::kPairs;
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kWarps = kThreads / kWarp;
  static constexpr unsigned kCapacity = kCapacityT;
  static constexpr unsigned kMinBins = 4 * kThreads;  // the scan takes 4 bins a thread
  static constexpr unsigned kMaxBins =
      std::max(kMinBins, std::min(8192u, std::bit_floor(kCapacity)));
  /// Whether crowds are spread (block.cuh). Pairs can't do without. Keys alone with more words a thread
  /// gain less from it than others of theirs lose by spilled registers.
  static constexpr bool kSpreadsCrowds =
      kPairs || sizeof(Bits) * kCapacity <= 8 * sizeof(std::uint32_t) * kThreads;

  __align__(16) Bits keys[kCapacity + kWindow];
  __align__(16) std::uint32_t places[kPairs ? kCapacity + kWindow : 4];
  __align__(16) unsigned bins[kMaxBins];
  unsigned warp_total[kWarp];
  Bits warp_lowest[kWarp];
  Bits warp_highest[kWarp];

  __device__ __forceinline__ SlottedItems<Bits, Place> items() { return {keys, places}; }
  __device__ __forceinline__ void put(unsigned p, Bits key, unsigned place) {
    keys[slot<Bits>(p)] = key;
    if constexpr (kPairs) places[slot<std::uint32_t>(p)] = place;
  }
};

constexpr unsigned kNowhere = ~0u;
constexpr unsigned kCrowd = 8;  // lanes of one warp that count into the same place

/// Whether a place is crowded by the lanes' places i, as far as half a warp shows it. All
/// lanes must come.
__device__ __forceinline__ bool is_crowd(unsigned i) {
  const unsigned other = __shfl_xor_sync(kAllLanes, i, kWarp / 2);
  const unsigned meeting = __ballot_sync(kAllLanes, i != kNowhere && i == other);
  return __popc(meeting) >= static_cast<int>(kCrowd);
}

/// Counts an item into s_counter[i], unless i is kNowhere, and returns how many were there before.
/// Lanes in a crowd add up first, which saves the hardware from serving them one by one. All lanes
/// must come.
__device__ __forceinline__ unsigned count_crowds(unsigned* s_counter, unsigned i) {
  unsigned rank = 0;
  unsigned left = kAllLanes;
  while (left != 0) {
    const int leader = __ffs(static_cast<int>(left)) - 1;
    const unsigned place = __shfl_sync(kAllLanes, i, leader);
    const unsigned peers = __ballot_sync(kAllLanes, i == place) & left;
    const auto crowd = static_cast<unsigned>(__popc(peers));
    if (crowd < kCrowd) break;
    const bool leads = lane_id() == static_cast<unsigned>(leader);
    const unsigned before = leads && place != kNowhere ? atomicAdd(&s_counter[place], crowd) : 0;
    const unsigned first = __shfl_sync(kAllLanes, before, leader);
    if (i == place) rank = first + static_cast<unsigned>(__popc(lanes_below(peers)));
    left &= ~peers;
  }
  const bool is_left = (left >> lane_id()) & 1;
  return is_left && i != kNowhere ? atomicAdd(&s_counter[i], 1u) : rank;
}

/// An item's place among the counters and its rank there, which both fit in 16 bits, as one word.
__device__ __forceinline__ unsigned with_rank(unsigned place, unsigned rank) {
  return place | rank << 16;
}
__device__ __forceinline__ unsigned place_in(unsigned place_and_rank) {
  return place_and_rank & 0xffff;
}
__device__ __forceinline__ unsigned rank_in(unsigned place_and_rank) {
  return place_and_rank >> 16;
}

/// Ranks the items i up to `used` at their places: place[i], unless it is kNowhere, becomes
/// with_rank(place, how many were counted into it before). All threads of the warp must come, with
/// the same `used`.
template <unsigned kItems>
__device__ __forceinline__ void count_all(unsigned* s_counter, unsigned used,
                                          unsigned (&place)[kItems]) {
  if (is_crowd(place[0])) {
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (i >= used) continue;
      const unsigned rank = count_crowds(s_counter, place[i]);
      if (place[i] != kNowhere) place[i] = with_rank(place[i], rank);
    }
  } else {
#pragma unroll
    for (unsigned i = 0; i < kItems; ++i) {
      if (i >= used || place[i] == kNowhere) continue;
      place[i] = with_rank(place[i], atomicAdd(&s_counter[place[i]], 1u));
    }
  }
}

/// The bins for `count` items.
template <class Shared>
__device__ __forceinline__ unsigned bins_for(unsigned count) {
  const unsigned wanted = count <= 1 ? 1 : 1u << (32 - __clz(static_cast<int>(count - 1)));
  return min(max(wanted, Shared::kMinBins), Shared::kMaxBins);
}

/// Empties the bins for `count` items, and says how many there are.
template <class Shared>
__device__ __forceinline__ unsigned empty_bins(unsigned count, Shared& s) {
  const unsigned bins = bins_for<Shared>(count);
  for (unsigned b = threadIdx.x; b < bins / 4; b += Shared::kThreads) {
    reinterpret_cast<uint4*>(s.bins)[b] = make_uint4(0, 0, 0, 0);
  }
  return bins;
}

/// In which of the stretches of bins, one a warp, a bin lies.
template <class Shared>
__device__ __forceinline__ unsigned stretch_shift(unsigned bins) {
  return 31 - static_cast<unsigned>(__clz(static_cast<int>(bins / Shared::kWarps)));
}

/// Where the stretch number `lane` begins, once the bins are laid out.
template <class Shared>
__device__ __forceinline__ unsigned stretch_begin(const Shared& s) {
  const unsigned total = lane_id() < Shared::kWarps ? s.warp_total[lane_id()] : 0;
  return warp_inclusive_scan(total) - total;
}

/// Puts each item among those of its bin, bin[i] of `bins` that are empty, or kNowhere. Leaves in
/// each bin its size, and where it begins within its stretch. Returns whether some bin holds more
/// than kMost items, which is to be spread. There are barriers to come before it, after the bins were emptied, and after it,
/// before an item is read.
template <unsigned kMost = kMostInBin, class Shared, unsigned kItems, class KeyOf, class PlaceOf>
__device__ __forceinline__ bool spread(KeyOf key_of, PlaceOf place_of, unsigned (&bin)[kItems],
                                       unsigned bins, unsigned count, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  const unsigned used = (count + kThreads - 1) / kThreads;

  count_all(s.bins, used, bin);  // bin[i] holds the rank from here on
  __syncthreads();

  // Each bin's size, and where it begins within the stretch that a warp scans, 128 bins a step.
  const unsigned stretch = bins / Shared::kWarps;
  unsigned carry = 0;
  unsigned most = 0;
  for (unsigned step = 0; step < bins / Shared::kMinBins; ++step) {
    const unsigned at = warp_id() * stretch / 4 + step * kWarp + lane_id();
    uint4& quad = reinterpret_cast<uint4*>(s.bins)[at];
    const uint4 size = quad;
    const unsigned sum = size.x + size.y + size.z + size.w;
    const unsigned inclusive = warp_inclusive_scan(sum);
    const unsigned begin = carry + inclusive - sum;
    quad = make_uint4(begin | size.x << 16, (begin + size.x) | size.y << 16,
                      (begin + size.x + size.y) | size.z << 16,
                      (begin + size.x + size.y + size.z) | size.w << 16);
    carry += __shfl_sync(kAllLanes, inclusive, kWarp - 1);
    if (Shared::kSpreadsCrowds) {
      most = max(most, max(max(size.x, size.y), max(size.z, size.w)));
    }
  }
  if (lane_id() == 0) s.warp_total[warp_id()] = carry;
  bool is_crowded = false;
  if constexpr (Shared::kSpreadsCrowds) {
    is_crowded = __syncthreads_or(most > kMost);
  } else {
    __syncthreads();
  }
  const unsigned my_stretch_begin = stretch_begin(s);

#pragma unroll
  for (unsigned i = 0; i < kItems; ++i) {
    if (i >= used) continue;
    const unsigned my_bin = place_in(bin[i]);
    const unsigned base = __shfl_sync(kAllLanes, my_stretch_begin,
                                      static_cast<int>(my_bin >> stretch_shift<Shared>(bins)));
    if (bin[i] != kNowhere) {
      s.put(base + (s.bins[my_bin] & 0xffff) + rank_in(bin[i]), key_of(i), place_of(i));
    }
  }
  return is_crowded;
}

}  // namespace sortlab::gpu::radix::small
