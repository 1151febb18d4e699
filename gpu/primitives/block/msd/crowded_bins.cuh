// Bins of a leaf with too many keys for networks of neighbours, each sorted by a warp in registers. Where its keys
// are many times the same, that value is first parted from the lower and the higher ones, which are few.
#pragma once

#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/warp/bitonic_sort.cuh"
#include "gpu/primitives/warp/pivot.cuh"

namespace sortlab::gpu::msd {

/// Bins with more keys than this are sorted apart rather than as neighbours.
constexpr unsigned kCrowdedBin = 24;
/// Bins with more keys than this are dealt out again rather than sorted by a warp.
constexpr unsigned kWarpSorts = 8 * kWarp;

/// A warp sorts `count` keys in shared memory, at most kEach a lane, which they are loaded to.
template <unsigned kEach, class Bits>
__device__ __forceinline__ void sort_held(Bits (&k)[kEach], Bits* s_keys, unsigned count) {
  sort_in_warp(k, count);
  __syncwarp();  // all have loaded
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j) {
    const unsigned i = lane_id() * kEach + j;
    if (i < count) s_keys[i] = k[j];
  }
}

/// Loads keys to be sorted by a warp; says whether they are all the same.
template <unsigned kEach, class Bits>
__device__ __forceinline__ bool load_stretch(Bits (&k)[kEach], const Bits* s_keys, unsigned count) {
  bool is_equal = true;
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j) {
    const unsigned i = lane_id() * kEach + j;
    k[j] = i < count ? s_keys[i] : ~Bits{0};
    is_equal &= i >= count || k[j] == s_keys[0];
  }
  return __all_sync(kAllLanes, is_equal);
}

template <unsigned kEach, class Bits>
__device__ __forceinline__ void sort_stretch(Bits* s_keys, unsigned count) {
  Bits k[kEach];
  if (!load_stretch(k, s_keys, count)) sort_held(k, s_keys, count);
}

/// A warp sorts up to kWarpSorts keys.
template <class Bits>
__device__ void sort_stretch_of_any_size(Bits* s_keys, unsigned count) {
  if (count <= kWarp) {
    sort_stretch<1>(s_keys, count);
  } else if (count <= 2 * kWarp) {
    sort_stretch<2>(s_keys, count);
  } else {
    sort_stretch<8>(s_keys, count);
  }
}

/// The same for many keys, of which many may be the same.
template <class Bits>
__device__ __noinline__ void sort_long_stretch(Bits* s_keys, unsigned count) {
  constexpr unsigned kEach = kWarpSorts / kWarp;
  Bits k[kEach];
  if (load_stretch(k, s_keys, count)) return;
  Bits pivot;
  if (!find_pivot(s_keys[lane_id() * count / kWarp], pivot)) {
    sort_held(k, s_keys, count);
    return;
  }
  __syncwarp();  // all have loaded
  unsigned below = 0;
  unsigned above = 0;
#pragma unroll
  for (unsigned j = 0; j < kEach; ++j) {
    const bool is_there = lane_id() * kEach + j < count;
    const unsigned lower = __ballot_sync(kAllLanes, k[j] < pivot);
    const unsigned higher = __ballot_sync(kAllLanes, is_there && k[j] > pivot);
    if (k[j] < pivot) s_keys[below + __popc(lanes_below(lower))] = k[j];
    if (is_there && k[j] > pivot) s_keys[count - 1 - above - __popc(lanes_below(higher))] = k[j];
    below += __popc(lower);
    above += __popc(higher);
  }
  for (unsigned i = below + lane_id(); i < count - above; i += kWarp) s_keys[i] = pivot;
  __syncwarp();
  sort_stretch_of_any_size(s_keys, below);
  sort_stretch_of_any_size(s_keys + count - above, above);
}

/// Each warp sorts crowded bins.
template <class Shared>
__device__ void sort_crowded(Shared& s) {
  for (unsigned i = warp_id(); i < s.crowded.count; i += Shared::kWarps) {
    const unsigned stretch = s.crowded.stretch[i];
    auto* const s_keys = s.key() + (stretch >> 16);
    const unsigned count = stretch & 0xffff;
    if (Shared::kParts && count > 2 * kWarp) {
      sort_long_stretch(s_keys, count);
    } else {
      sort_stretch_of_any_size(s_keys, count);
    }
  }
}

}  // namespace sortlab::gpu::msd
