// Keys of a leaf that lie in their bins, of a key or two each: neighbours are sorted by whole keys, in registers.
#pragma once

#include "gpu/primitives/block/msd/keys.cuh"
#include "gpu/primitives/thread/networks.cuh"

namespace sortlab::gpu::msd {

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
