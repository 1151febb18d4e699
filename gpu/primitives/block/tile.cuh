// A block's tile: a range of the array that the whole block copies to shared memory and back.
#pragma once

#include <cuda_pipeline_primitives.h>

#include <cstddef>

#include "common/contract/items.hpp"

namespace sortlab::gpu {

/// The dynamic shared memory of the block. Every kernel sees the same bytes under its own types.
__device__ __forceinline__ std::byte* dynamic_shared() {
  extern __shared__ __align__(16) std::byte s_dynamic[];
  return s_dynamic;
}

/// Bytes that `count` items take.
template <class Key, class Value>
constexpr std::size_t bytes_of_items(std::size_t count) {
  return count * (sizeof(Key) + kValueBytes<Value>);
}

/// `count` items laid out at `bytes`, keys first: keys are wider than values, so values are aligned
/// too.
template <class Key, class Value>
__device__ __forceinline__ Items<Key, Value> items_at(std::byte* bytes, std::size_t count) {
  Items<Key, Value> items;
  items.keys = reinterpret_cast<Key*>(bytes);
  if constexpr (Items<Key, Value>::kPairs) {
    items.values = reinterpret_cast<Value*>(bytes + count * sizeof(Key));
  }
  return items;
}

/// Copies `count` items with all threads of the block; the caller synchronizes.
template <class Key, class Value, class From, class To>
__device__ __forceinline__ void copy_items(Items<Key, Value, From> from, Items<Key, Value, To> to,
                                           unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x) to.put(i, from[i]);
}

/// Starts to copy an item to shared memory, bypassing the registers if the hardware can. All copies
/// of a tile can then be in flight at once, even with few registers.
template <class T>
__device__ __forceinline__ void start_copy(T& shared, const T& global) {
  constexpr bool kBySize = sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16;
  if constexpr (kBySize && alignof(T) == sizeof(T)) {
    __pipeline_memcpy_async(&shared, &global, sizeof(T));
  } else {
    shared = global;
  }
}
/// Waits for the copies that this thread has started.
__device__ __forceinline__ void wait_for_copies() {
  __pipeline_commit();
  __pipeline_wait_prior(0);
}

/// The items of a tile of at most `tile` items that begins at `first`, in a sequence of n.
__device__ __forceinline__ unsigned count_in_tile(std::size_t n, std::size_t first, unsigned tile) {
  return n - first < tile ? static_cast<unsigned>(n - first) : tile;
}

}  // namespace sortlab::gpu
