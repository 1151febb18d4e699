// Sorts a leaf of an MSD radix sort, a few thousand keys, in the shared memory of one block.
//
// The keys go to about twice as many bins as there are keys, by the highest bits in which they
// differ: one atomic a key returns its rank in its bin. Bins then hold a key or two, so what is left
// is to sort neighbours, by whole keys, in registers:
//
//     keys     ...... a | c  b  b' | d | f  e | g ......   | bounds of bins
//     round    [ sort 8 keys ][ sort 8 keys ][ sort 8 keys ]
//                  [ sort 8 keys ][ sort 8 keys ]              until nothing is out of order
//
// So the work does not depend on how many bits are left, 16 or 48. A bin of many keys is sorted
// apart: by a warp, in registers, up to 256 keys (crowded_bins.cuh); a larger one is dealt to bins again by the whole
// block, by the bits in which its keys differ. Either is bounded: a warp does the same for any
// keys, and of bins for the block a leaf has few. Where a bin's keys are many times the same, that value
// is first parted from the lower and the higher ones, which are few.
#pragma once

#include <cuda_pipeline_primitives.h>

#include "gpu/primitives/block/msd/crowded_bins.cuh"
#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/block/scan.cuh"

namespace sortlab::gpu::msd {

/// Stretches of the leaf: begin in the upper half, size in the lower.
template <unsigned kMost>
struct StretchList {
  unsigned stretch[kMost];
  unsigned count;

  __device__ void push(unsigned begin, unsigned size) {
    stretch[atomicAdd(&count, 1u)] = begin << 16 | size;
  }
};

template <class BitsT, unsigned kThreadsT, unsigned kItemsT, unsigned kBinBitsT,
          unsigned kGroupT = kItemsT, unsigned kScratchBytes = 0>
struct LeafShared {
  using Bits = BitsT;
  static constexpr unsigned kGroup = kGroupT;  // rows that a warp does, or leaves out, together
  static constexpr unsigned kThreads = kThreadsT;
  static constexpr unsigned kItems = kItemsT;
  static constexpr unsigned kBinBits = kBinBitsT;
  static constexpr unsigned kMaxKeys = kThreads * kItems;
  static constexpr unsigned kBins = 1u << kBinBits;
  static constexpr unsigned kWarps = kThreads / kWarp;
  static_assert(kMaxKeys <= 1u << 15, "places are 16-bit numbers");
  /// Whether a value that fills a bin is parted from the others. Not with keys of 32 bits: fewer bits of
  /// theirs are left to separate such keys, and the kernels with the most blocks would spill registers.
  static constexpr bool kParts = sizeof(Bits) == 8;

  Vector<Bits> keys[(kMaxKeys + 16) / kVector<Bits>];
  // 16 bits a bin; then where each bin begins. Scratch while no keys are dealt to bins.
  uint4 counts[std::max(kBins / 8, kScratchBytes / 16)];
  Bits min[kWarps];  // of each warp
  Bits max[kWarps];
  unsigned warp_sums[kWarps];
  StretchList<kMaxKeys / kCrowdedBin + 1> crowded;  // for a warp
  StretchList<kMaxKeys / kWarpSorts + 1> large;     // for the block
  unsigned below;  // keys of a large bin that are lower than its pivot
  unsigned above;  // and higher

  /// Where a bin's count lies: groups of 8 bins change places within 64. Bins a power of two apart,
  /// as of keys in order, would otherwise meet in the same banks.
  __device__ static unsigned slot_of(unsigned bin) { return bin ^ (bin >> 3 & 0x38); }

  __device__ Bits* key() { return keys[0].key; }
  __device__ unsigned* pair() { return &counts[0].x; }  // the counts of two bins
  __device__ std::uint16_t* start() { return reinterpret_cast<std::uint16_t*>(counts); }
};

/// Puts a bin of many keys on the list where it belongs.
template <class Shared>
__device__ __forceinline__ void list_bin(Shared& s, unsigned begin, unsigned size) {
  if (size > kWarpSorts) {
    s.large.push(begin, size);
  } else if (size > kCrowdedBin) {
    s.crowded.push(begin, size);
  }
}

/// Each bin's count becomes the place where it begins, `first` being the first one's. Bins of many
/// keys go on a list, unless they hold `one_value` each.
template <class Shared>
__device__ __forceinline__ void scan_bins(Shared& s, unsigned bin_bits, unsigned first,
                                          bool one_value) {
  constexpr unsigned kThreads = Shared::kThreads;
  constexpr unsigned kEach = (Shared::kBins / 8 + kThreads - 1) / kThreads;
  const unsigned vectors = bin_bits < 3 ? 1 : 1u << (bin_bits - 3);
  const unsigned each = (vectors + kThreads - 1) / kThreads;
  const unsigned begin = threadIdx.x * each;
  uint4 v[kEach];
  unsigned sum = 0;
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    const unsigned slot = Shared::slot_of(8 * (begin + e)) / 8;
    v[e] = e < each && begin + e < vectors ? s.counts[slot] : uint4{0, 0, 0, 0};
    // At most 2^15 keys: halves of a sum of halves do not run over.
    const unsigned halves = v[e].x + v[e].y + v[e].z + v[e].w;
    sum += (halves & 0xffff) + (halves >> 16);
  }
  unsigned all;
  unsigned place = first + block_exclusive_scan<kThreads>(sum, &all, s.warp_sums);
  const bool may_list = !one_value && sum > kCrowdedBin;
#pragma unroll
  for (unsigned e = 0; e < kEach; ++e) {
    unsigned* const pair = &v[e].x;
#pragma unroll
    for (unsigned p = 0; p < 4; ++p) {
      const unsigned low = pair[p] & 0xffff;
      const unsigned high = pair[p] >> 16;
      if (may_list) {
        list_bin(s, place, low);
        list_bin(s, place + low, high);
      }
      pair[p] = place | (place + low) << 16;
      place += low + high;
    }
    const unsigned slot = Shared::slot_of(8 * (begin + e)) / 8;
    if (e < each && begin + e < vectors) s.counts[slot] = v[e];
  }
}

/// Calls body(u, has_key) for each row u of keys that this warp takes part in, and perhaps more.
/// What is left of the keys is compared with constants: numbers of rows compared with `count` would
/// be held in registers from leaf to leaf.
template <class Shared, class Body>
__device__ __forceinline__ void for_rows(unsigned count, Body body) {
  constexpr unsigned kGroup = Shared::kGroup;
  constexpr unsigned kThreads = Shared::kThreads;
  const int left = static_cast<int>(count) - static_cast<int>(threadIdx.x);
  const int left_of_warp = __shfl_sync(kAllLanes, left, 0);
#pragma unroll
  for (unsigned g = 0; g < Shared::kItems; g += kGroup) {
    if (kGroup == Shared::kItems || static_cast<int>(g * kThreads) < left_of_warp) {
#pragma unroll
      for (unsigned u = g; u < g + kGroup && u < Shared::kItems; ++u) {
        body(u, static_cast<int>(u * kThreads) < left);
      }
    }
  }
}

/// Deals `count` keys of [low, low + 2^range_bits), which the threads hold in registers, to two to
/// four times as many bins, from s.key()[first] on.
template <class Shared, class Bits>
__device__ __forceinline__ void deal(const Bits (&key)[Shared::kItems], unsigned count,
                                     unsigned first, Bits low, unsigned range_bits, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  const unsigned wanted = bit_width(count) + 1;
  const unsigned most = wanted < Shared::kBinBits ? wanted : Shared::kBinBits;
  const unsigned bin_bits = range_bits < most ? range_bits : most;
  const unsigned shift = range_bits - bin_bits;
  for (unsigned v = threadIdx.x; v < (1u << bin_bits) / 8 + (bin_bits < 3); v += kThreads) {
    s.counts[v] = {0, 0, 0, 0};
  }
  __syncthreads();
  unsigned rank[(Shared::kItems + 1) / 2]{};
  for_rows<Shared>(count, [&](unsigned u, bool has_key) {
    unsigned mine = 0;
    if (has_key) {
      const unsigned slot = Shared::slot_of(bin_of(key[u], low, shift));
      const unsigned half = slot % 2 * 16;
      mine = atomicAdd(&s.pair()[slot / 2], 1u << half) >> half & 0xffff;
    }
    rank[u / 2] = u % 2 == 0 ? mine : rank[u / 2] | mine << 16;
  });
  __syncthreads();
  scan_bins(s, bin_bits, first, shift == 0);
  __syncthreads();
  forget_derived(rank);
  for_rows<Shared>(count, [&](unsigned u, bool has_key) {
    if (has_key) {
      const unsigned mine = u % 2 == 0 ? rank[u / 2] & 0xffff : rank[u / 2] >> 16;
      s.key()[s.start()[Shared::slot_of(bin_of(key[u], low, shift))] + mine] = key[u];
    }
  });
  __syncthreads();
}

/// Extends `min` and `max`, which are those of a thread's keys, to all keys of the block. A barrier.
template <class Shared, class Bits>
__device__ __forceinline__ void find_block_range(Shared& s, Bits& min, Bits& max) {
  find_warp_range(min, max);
  if (lane_id() == 0) {
    s.min[warp_id()] = min;
    s.max[warp_id()] = max;
  }
  __syncthreads();
  for (unsigned w = 0; w < Shared::kWarps; ++w) {
    if (s.min[w] < min) min = s.min[w];
    if (s.max[w] > max) max = s.max[w];
  }
}

/// Parts the keys of a large bin: lower than the pivot, equal, higher.
template <class Shared, class Bits>
__device__ __noinline__ void part_large(unsigned first, unsigned count, Bits pivot, Shared& s) {
  constexpr unsigned kThreads = Shared::kThreads;
  Bits* const s_keys = s.key() + first;
  Bits key[Shared::kItems];
#pragma unroll
  for (unsigned u = 0; u < Shared::kItems; ++u) {
    const unsigned i = u * kThreads + threadIdx.x;
    key[u] = i < count ? s_keys[i] : pivot;
  }
  if (threadIdx.x == 0) s.below = s.above = 0;
  __syncthreads();
#pragma unroll
  for (unsigned u = 0; u < Shared::kItems; ++u) {
    if (u * kThreads >= count) continue;
    const unsigned lower = __ballot_sync(kAllLanes, key[u] < pivot);
    const unsigned higher = __ballot_sync(kAllLanes, key[u] > pivot);
    unsigned below = 0;
    unsigned above = 0;
    if (lane_id() == 0) {
      if (lower != 0) below = atomicAdd(&s.below, static_cast<unsigned>(__popc(lower)));
      if (higher != 0) above = atomicAdd(&s.above, static_cast<unsigned>(__popc(higher)));
    }
    below = __shfl_sync(kAllLanes, below, 0) + __popc(lanes_below(lower));
    above = __shfl_sync(kAllLanes, above, 0) + __popc(lanes_below(higher));
    if (key[u] < pivot) s_keys[below] = key[u];
    if (key[u] > pivot) s_keys[count - 1 - above] = key[u];
  }
  __syncthreads();
  for (unsigned i = s.below + threadIdx.x; i < count - s.above; i += kThreads) s_keys[i] = pivot;
  if (threadIdx.x == 0) {
    list_bin(s, first, s.below);
    list_bin(s, first + count - s.above, s.above);
  }
  __syncthreads();
}

/// Deals the large bins out again, until none is left but such of equal keys.
template <class Shared>
__device__ void deal_large(Shared& s) {
  using Bits = typename Shared::Bits;
  constexpr unsigned kThreads = Shared::kThreads;
  while (s.large.count > 0) {
    const unsigned stretch = s.large.stretch[s.large.count - 1];
    __syncthreads();
    if (threadIdx.x == 0) --s.large.count;
    const unsigned first = stretch >> 16;
    const unsigned count = stretch & 0xffff;
    if constexpr (Shared::kParts) {
      Bits pivot;
      if (find_pivot(s.key()[first + lane_id() * count / kWarp], pivot)) {
        part_large(first, count, pivot, s);
        continue;
      }
    }
    Bits key[Shared::kItems];
    Bits min = ~Bits{0};
    Bits max = 0;
#pragma unroll
    for (unsigned u = 0; u < Shared::kItems; ++u) {
      const unsigned i = u * kThreads + threadIdx.x;
      key[u] = i < count ? s.key()[first + i] : Bits{0};
      if (i < count && key[u] < min) min = key[u];
      if (i < count && key[u] > max) max = key[u];
    }
    find_block_range(s, min, max);
    if (min != max) deal(key, count, first, min, bit_width(max - min), s);
    __syncthreads();
  }
}

/// Sorts the bins of many keys.
template <class Shared>
__device__ __forceinline__ void sort_heavy_bins(Shared& s) {
  deal_large(s);
  if (s.crowded.count > 0) {
    sort_crowded(s);
    __syncthreads();
  }
}

/// Sorts keys that lie in their bins, if no bin has many.
template <class Shared>
__device__ __forceinline__ void sort_light_bins(Shared& s, unsigned count) {
  bool is_unordered;
  do {
    sort_neighbours(s, count, 0);
    __syncthreads();
    is_unordered = sort_neighbours(s, count, 4);
    __syncthreads();
    is_unordered |= is_unordered_between_warps(s, count);
  } while (__syncthreads_or(is_unordered));
}

/// Sorts keys that lie in their bins.
template <class Shared>
__device__ __forceinline__ void sort_dealt(Shared& s, unsigned count) {
  sort_heavy_bins(s);
  sort_light_bins(s, count);
}

/// Loads the first `size` keys of the leaf, as they are in its buffer. All registers are written:
/// what one keeps of the leaf before would keep it from other uses.
template <class Shared, class Bits, class Map>
__device__ __forceinline__ void load_leaf(const Leaf& leaf, unsigned size,
                                          const Buffers<Bits, Map>& buffers,
                                          Bits (&key)[Shared::kItems]) {
  const Bits* const from = buffers.keys_of(leaf) + leaf.begin;
#pragma unroll
  for (unsigned u = 0; u < Shared::kItems; ++u) key[u] = 0;
  for_rows<Shared>(size, [&](unsigned u, bool has_key) {
    if (has_key) key[u] = from[u * Shared::kThreads + threadIdx.x];
  });
}

/// Deals the keys of a leaf, which the threads hold, to bins.
template <class Shared, class Bits>
__device__ __forceinline__ void deal_leaf(Bits (&key)[Shared::kItems], unsigned size, Bits low,
                                          unsigned range_bits, KeyMap<Bits> key_map, Shared& s) {
  for_rows<Shared>(size, [&](unsigned u, bool) { key[u] = key_map.ordered(key[u]); });
  if (threadIdx.x < 16) s.key()[size + threadIdx.x] = ~Bits{0};
  if (threadIdx.x == 0) s.crowded.count = s.large.count = 0;
  deal(key, size, 0, low, range_bits, s);
}

template <class Shared, class Bits, class Map>
__device__ __forceinline__ void write_leaf(Bits* to, unsigned size, Map key_map, Shared& s) {
  if (key_map.changes_nothing()) {
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < size; i += Shared::kThreads) to[i] = s.key()[i];
  } else {
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < size; i += Shared::kThreads) to[i] = key_map.key(s.key()[i]);
  }
}

}  // namespace sortlab::gpu::msd
