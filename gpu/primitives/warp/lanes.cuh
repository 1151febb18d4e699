// What the lanes of a warp do together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/contract/items.hpp"
#include "gpu/primitives/thread/bitonic_network.cuh"

namespace sortlab::gpu {

constexpr unsigned kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

__device__ __forceinline__ unsigned lane_id() { return threadIdx.x % kWarp; }
__device__ __forceinline__ unsigned warp_id() { return threadIdx.x / kWarp; }

/// threadIdx.x, read again: what follows from it is computed where it is needed, and not kept in registers.
__device__ __forceinline__ unsigned thread_here() {
#ifdef __CUDA_ARCH__
  unsigned thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
#else
  return threadIdx.x;
#endif
}

/// The bits of `mask` that belong to lanes below this one.
__device__ __forceinline__ unsigned lanes_below(unsigned mask) {
  return mask & ((1u << lane_id()) - 1);
}

/// The least that a lane of `mask` has. All of these lanes call it, with the same mask.
__device__ __forceinline__ std::uint32_t lanes_min(unsigned mask, std::uint32_t mine) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800  // without the instruction
  std::uint32_t least = mine;
  for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
    least = min(least, __shfl_sync(mask, mine, __ffs(static_cast<int>(rest)) - 1));
  }
  return least;
#else
  return __reduce_min_sync(mask, mine);
#endif
}
__device__ __forceinline__ std::uint32_t lanes_max(unsigned mask, std::uint32_t mine) {
  return ~lanes_min(mask, ~mine);
}

/// Extends `min` and `max`, which are those of a lane's keys, to all keys of the warp.
template <class Bits>
__device__ __forceinline__ void find_warp_range(Bits& min, Bits& max) {
#pragma unroll
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
    const Bits other_min = __shfl_xor_sync(kAllLanes, min, distance);
    const Bits other_max = __shfl_xor_sync(kAllLanes, max, distance);
    if (other_min < min) min = other_min;
    if (other_max > max) max = other_max;
  }
}

/// What another lane has, of any type that may be copied byte by byte.
template <class T>
__device__ __forceinline__ T from_lane(const T& mine, unsigned lane) {
  constexpr std::size_t kWords = (sizeof(T) + 3) / 4;
  std::uint32_t words[kWords] = {};
  std::memcpy(words, &mine, sizeof(T));
#pragma unroll
  for (std::uint32_t& word : words) word = __shfl_sync(kAllLanes, word, static_cast<int>(lane));
  T other;
  std::memcpy(&other, words, sizeof(T));
  return other;
}

/// The item of the lane whose number differs in the bits of `j`.
template <class Key, class Value>
__device__ __forceinline__ Item<Key, Value> shuffle_xor(Item<Key, Value> item, unsigned j) {
  item.key = __shfl_xor_sync(kAllLanes, item.key, j);
  if constexpr (Items<Key, Value>::kPairs) {
    item.value = __shfl_xor_sync(kAllLanes, item.value, j);
  }
  return item;
}

/// A step of a bitonic network between lanes: the item at `place` of a sequence, held by this lane,
/// meets the one at place ^ j, held by lane ^ j; nothing moves unless `is_pair`. Both lanes of a
/// pair see the same two keys in the same roles, so either both take the other's item or none does,
/// also when the keys are equal.
template <class Less, class Key, class Value>
__device__ __forceinline__ void exchange_with_lane(Item<Key, Value>& mine, unsigned place,
                                                   unsigned j, bool upwards, bool is_pair) {
  const auto other = shuffle_xor(mine, j);
  const bool is_low = (place & j) == 0;
  const bool keeps_smaller = is_low == upwards;
  const bool takes = keeps_smaller ? Less{}(other.key, mine.key) : Less{}(mine.key, other.key);
  if (takes && is_pair) mine = other;
}

/// Sorts the items of the first `count` lanes (at least 1), upwards from lane 0.
template <class Less, class Key, class Value>
__device__ __forceinline__ void warp_sort(Item<Key, Value>& mine, unsigned count) {
  const unsigned lane = lane_id();
#pragma unroll
  for (unsigned k = 2; k <= kWarp; k *= 2) {
    const bool upwards = is_upwards(lane, count - 1, k);
#pragma unroll
    for (unsigned j = k / 2; j > 0; j /= 2) {
      exchange_with_lane<Less>(mine, lane, j, upwards, (lane | j) < count);
    }
  }
}

/// Whether many lanes of the warp have their key in one bin.
__device__ __forceinline__ bool is_crowded(unsigned bin) {
  constexpr int kMany = 8;
  const unsigned first = __shfl_sync(kAllLanes, bin, 0);
  return __popc(__ballot_sync(kAllLanes, bin == first)) >= kMany;
}

/// The sum of `x` over the warp, in lane 0.
template <class T>
__device__ __forceinline__ T warp_sum(T x) {
  for (unsigned distance = kWarp / 2; distance > 0; distance /= 2) {
    x += __shfl_down_sync(kAllLanes, x, distance);
  }
  return x;
}

/// The sum of `x` over this lane and those below it.
template <class T>
__device__ __forceinline__ T warp_inclusive_scan(T x) {
  for (unsigned distance = 1; distance < kWarp; distance *= 2) {
    const T below = __shfl_up_sync(kAllLanes, x, distance);
    if (lane_id() >= distance) x += below;
  }
  return x;
}

}  // namespace sortlab::gpu
