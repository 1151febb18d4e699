// Batcher's bitonic network for any n: the pairs, their directions, and the exchange itself.
//
// A stage of size k merges pairs of sorted runs of k/2 items into runs of k; its steps compare
// items at the distances j = k/2, ..., 2, 1. The textbook sorts a run upwards when bit k of its
// index is 0 and needs n = 2^m, or padding with a largest key, which a real key may equal. Here the
// direction bit is counted from the last run instead, which makes any n work in place:
//
//     n = 13, k = 4:   | v v v v | ^ ^ ^ ^ | v v v v | ^ . . . |     ^ upwards, v downwards
//                                                      the last run is always upwards
//
// Imagine infinitely large items from n on. Only the last run of a stage holds both keys and such
// items. It is sorted upwards, so an exchange with such an item never moves anything. So pairs
// whose upper index is n or more are left out, without any padding. Neighbouring runs still have
// opposite directions, as a bitonic merge needs, and the run that ends a stage is upwards.
#pragma once

#include <cstddef>

#include "common/contract/items.hpp"

namespace sortlab::gpu {

/// Whether the run that holds index i is sorted upwards in the stage of size k; last = n - 1.
template <class Index>
__device__ __forceinline__ bool is_upwards(Index i, Index last, Index k) {
  return ((i ^ last) & k) == 0;
}

/// How threads find their pair in a step of distance j (a power of two).
enum class Scheme : int {
  partner_above = 0,  // n threads, the thread of the lower index does the work
  shifted = 1,        // n/2 threads, none idle
  divided = 2,        // the same pairs, computed by % and / as if j could be any number
};

constexpr std::size_t items_a_thread(Scheme scheme) {
  return scheme == Scheme::partner_above ? 1 : 2;
}

template <class Index>
struct Pair {
  Index low;
  Index high;
  /// Whether the thread has a pair in a sequence of n items. An idle thread has high < low.
  __device__ __forceinline__ bool is_within(Index n) const { return low < high && high < n; }
};

template <Scheme kScheme, class Index>
__device__ __forceinline__ Pair<Index> pair_of(Index thread, Index j) {
  if constexpr (kScheme == Scheme::partner_above) {
    return {thread, thread ^ j};
  } else if constexpr (kScheme == Scheme::divided) {
    const Index low = thread % j + 2 * j * (thread / j);
    return {low, low + j};
  } else {
    // thread = (block of j threads, place in it); each block of j threads covers 2j items:
    //   threads  0 1 2 3 | 4 5 6 7        j = 4
    //   low      0 1 2 3 | 8 9 10 11      low = thread + (thread rounded down to a multiple of j)
    const Index low = thread + (thread & ~(j - 1));
    return {low, low + j};
  }
}

/// Puts the items at low < high in order. Equal keys stay where they are.
template <class Less, class Key, class Value, class Keys, class Index>
__device__ __forceinline__ void exchange(Items<Key, Value, Keys> items, Index low, Index high,
                                         bool upwards) {
  const Less less;
  const Key at_low = items.keys[low];
  const Key at_high = items.keys[high];
  if (upwards ? less(at_high, at_low) : less(at_low, at_high)) {
    items.keys[low] = at_high;
    items.keys[high] = at_low;
    if constexpr (Items<Key, Value>::kPairs) {
      const Value value = items.values[low];
      items.values[low] = items.values[high];
      items.values[high] = value;
    }
  }
}

}  // namespace sortlab::gpu
