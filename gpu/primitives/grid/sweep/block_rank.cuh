// Finds the place of each of a warp's keys among the warp's keys with the same digit.
//
// A warp holds rows of 32 neighbours. An atomicAdd counts a key. Once the places of the bins are
// known, another one returns the key's place, so no register holds a rank in between. Lanes of a
// row with the same digit may be placed in any order, so the caller must check.
//
// A heavy bin (one that holds many keys) would serialize the atomics: its lanes are ranked by one
// ballot and a counter in a register. It may be heavy in the whole array, or in the warp's first
// row.
#pragma once

#include "gpu/primitives/grid/sweep/sweeps.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::sweep {

/// The digit at `shift` times kStride: the byte offset of its place in a table. One rotation and
/// one mask are enough.
template <unsigned kStride, class Bits>
__device__ __forceinline__ unsigned digit_offset(Bits bits, unsigned shift) {
  constexpr unsigned kStrideBits = std::countr_zero(kStride);
  unsigned word = static_cast<unsigned>(bits);
  if constexpr (sizeof(Bits) == 8) {
    if (shift >= 32) word = static_cast<unsigned>(bits >> 32);
  }
  return __funnelshift_r(word, word, shift - kStrideBits) & ((kBins - 1) * kStride);
}

/// The entry of `table` for the digit at `shift`.
template <class T, class Bits>
__device__ __forceinline__ T& entry_of(T* table, Bits bits, unsigned shift) {
  return *reinterpret_cast<T*>(reinterpret_cast<std::byte*>(table) +
                               digit_offset<sizeof(T)>(bits, shift));
}

/// The bits of the digits from that at `first` to that at `last`.
template <class Bits>
__device__ __forceinline__ Bits digits_mask(unsigned first, unsigned last) {
  return ~Bits{0} >> (8 * sizeof(Bits) - kDigitBits - last) >> first << first;
}

/// The heavy bin of a warp: that of the whole array if it has one, else the digit of lane 0 if many
/// lanes of the row have it, else kBins. Equal digits often come in runs (for example in the top
/// digits of nearly sorted keys), so the first row is typical of its warp.
__device__ __forceinline__ unsigned heavy_bin_of_warp(unsigned heavy_in_array, unsigned digit) {
  constexpr int kManyLanes = 8;
  if (heavy_in_array != kBins) return heavy_in_array;
  const unsigned first = __shfl_sync(kAllLanes, digit, 0);
  const bool is_heavy = __popc(__ballot_sync(kAllLanes, digit == first)) >= kManyLanes;
  return is_heavy ? first : kBins;
}

struct ByAtomics {
  /// Counts each key in its bin. Lanes of the same bin are added up by the hardware, as no lane wants the result.
  /// measured: u32, with keys read at constant distances, us: 16 million k-mers 355 (this) vs 386 (count_heavy); H100,
  /// h100/attempts/sweeps.1.txt
  template <bool kFull, unsigned kItems, class Bits, class IsItem>
  static __device__ void count(unsigned* counts, const Bits (&bits)[kItems], unsigned shift,
                               IsItem is_item) {
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      if (kFull || is_item(u)) atomicAdd(&entry_of(counts, bits[u], shift), 1u);
    }
  }
  /// The same, those of the heavy bin by ballots.
  /// measured: 4 million u32+u32, us: 176 (this) vs 189 (count); H100, h100/attempts/sweeps.1.txt
  template <bool kFull, unsigned kItems, class Bits, class IsItem>
  static __device__ void count_heavy(unsigned* counts, const Bits (&bits)[kItems], unsigned shift,
                                     unsigned heavy_bin, IsItem is_item) {
    if (heavy_bin == kBins) {
      count<kFull>(counts, bits, shift, is_item);
      return;
    }
    unsigned heavy = 0;
#pragma unroll
    for (unsigned u = 0; u < kItems; ++u) {
      const bool takes_part = kFull || is_item(u);
      const bool is_heavy = takes_part && digit_at(bits[u], shift) == heavy_bin;
      heavy += __popc(__ballot_sync(kAllLanes, is_heavy));
      if (takes_part && !is_heavy) atomicAdd(&entry_of(counts, bits[u], shift), 1u);
    }
    if (lane_id() == 0) counts[heavy_bin] = heavy;
  }

  /// Calls put(u, place) for each key, with the next place of its bin, which `places` holds.
  template <bool kFull, unsigned kItems, class Bits, class IsItem, class Put>
  static __device__ void place(unsigned* places, const Bits (&bits)[kItems], unsigned shift,
                               unsigned heavy_bin, IsItem is_item, Put put) {
    constexpr unsigned kAtOnce = 8;  // atomics in flight
    unsigned heavy_place = heavy_bin == kBins ? 0 : places[heavy_bin];
#pragma unroll
    for (unsigned first = 0; first < kItems; first += kAtOnce) {
      constexpr unsigned kLast = kItems - 1;
      unsigned place[kAtOnce]{};
#pragma unroll
      for (unsigned j = 0; j < kAtOnce; ++j) {
        const unsigned u = first + j;
        if (u > kLast) break;
        const bool takes_part = kFull || is_item(u);
        unsigned heavy = 0;
        bool is_heavy = false;
        if (heavy_bin != kBins) {
          is_heavy = takes_part && digit_at(bits[u], shift) == heavy_bin;
          heavy = __ballot_sync(kAllLanes, is_heavy);
        }
        if (is_heavy) {
          place[j] = heavy_place + __popc(lanes_below(heavy));
        } else if (takes_part) {
          place[j] = atomicAdd(&entry_of(places, bits[u], shift), 1u);
        }
        heavy_place += __popc(heavy);
      }
#pragma unroll
      for (unsigned j = 0; j < kAtOnce; ++j) {
        const unsigned u = first + j;
        if (u <= kLast && (kFull || is_item(u))) put(u, place[j]);
      }
    }
  }
};

}  // namespace sortlab::gpu::sweep
