// What is left of a leaf's order once its keys lie in their bins: neighbours are sorted in registers. A bin with too
// many keys for that is sorted by a warp. Where its keys are many times the same, that value is first parted from the
// lower and the higher ones, which are few.
#pragma once

#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/thread/networks.cuh"
#include "gpu/primitives/warp/bitonic_sort.cuh"
#include "gpu/primitives/warp/lanes.cuh"

namespace sortlab::gpu::msd {

// Bins of a key or two each: neighbours are sorted by whole keys, in registers.

/// Sorts every 8 neighbours from `first`, 0 or 4, on; the last ones meet keys of the greatest value
/// behind the leaf. Says whether this thread saw keys out of order between its 8 and the next.
template <class Shared>
__device__ __forceinline__ bool sort_neighbours(Shared& s, unsigned count, unsigned first) {
  using Bits = typename Shared::Bits;
  constexpr unsigned kV = kVector<Bits>;
  constexpr unsigned kVectors = 8 / kV;
  // As they are sorted anyway, the keys are loaded in an order in which 8 lanes meet all banks.
  const unsigned turn = lane_id() / (8 / kVectors);
  bool is_unordered = false;
  Vector<Bits>* const from = s.keys + first / kV;
  for (unsigned base = 0; base < count; base += 8 * Shared::kThreads) {
    const unsigned block = base / 8 + threadIdx.x;
    const bool has_keys = block * 8 + first < count;
    Bits k[8]{};
    if (has_keys) {
#pragma unroll
      for (unsigned v = 0; v < kVectors; ++v) {
        const auto vector = from[block * kVectors + (v + turn) % kVectors];
#pragma unroll
        for (unsigned i = 0; i < kV; ++i) k[v * kV + i] = vector.key[i];
      }
      sort_by_levels<8, 1>([&](unsigned i, unsigned j) { order(k[i], k[j]); });
#pragma unroll
      for (unsigned v = 0; v < kVectors; ++v) {
        Vector<Bits> vector;
#pragma unroll
        for (unsigned i = 0; i < kV; ++i) vector.key[i] = k[v * kV + i];
        from[block * kVectors + v] = vector;
      }
    } else {
      k[0] = ~Bits{0};
    }
    const Bits next = __shfl_down_sync(kAllLanes, k[0], 1);
    is_unordered |= has_keys && lane_id() != kWarp - 1 && next < k[7];
  }
  return is_unordered;
}

/// Whether keys are out of order where sort_neighbours(s, count, 4) could not see it: before the
/// first 8, and between those of two warps.
template <class Shared>
__device__ __forceinline__ bool is_unordered_between_warps(Shared& s, unsigned count) {
  constexpr unsigned kStep = 8 * kWarp;
  bool is_unordered = false;
  for (unsigned w = threadIdx.x; w * kStep + 4 < count; w += Shared::kThreads) {
    const unsigned i = w * kStep + 4;
    is_unordered |= s.key()[i] < s.key()[i - 1];
  }
  return is_unordered;
}

}  // namespace sortlab::gpu::msd

namespace sortlab::gpu {

/// Whether many of the lanes' keys are the same. Then that is the pivot, for all lanes.
template <class Bits>
__device__ __forceinline__ bool find_pivot(Bits key, Bits& pivot) {
  constexpr unsigned kMany = kWarp / 4;
  const auto same = static_cast<unsigned>(__popc(__match_any_sync(kAllLanes, key)));
  const unsigned most = lanes_max(kAllLanes, same * kWarp + lane_id());
  pivot = __shfl_sync(kAllLanes, key, static_cast<int>(most % kWarp));
  return most / kWarp >= kMany;
}

}  // namespace sortlab::gpu

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
