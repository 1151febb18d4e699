// Merge Path: finds the state of a stable merge of two runs after its first d outputs, and
// continues from there.
//
//            left run  0 ........ i | ........        d = i + j: the first d outputs are
//            right run 0 ... j | .............        left[0, i) and right[0, j)
//
// Equal keys come from the left run first, both in the search and in the merge after it. With `<`
// in one and `<=` in the other, a key that both runs hold could be written twice and another one
// lost.
#pragma once

#include <cstddef>

#include "common/contract/items.hpp"

namespace sortlab::gpu {

/// Two neighbouring sorted runs: [begin, middle) and [middle, end).
template <class Index>
struct RunPair {
  Index begin;
  Index middle;
  Index end;
};

/// The pair of runs of `width` items (a power of two) that the output `at` belongs to, cut at n.
template <class Index>
__device__ __forceinline__ RunPair<Index> run_pair_at(Index at, Index width, Index n) {
  const Index begin = at & ~(2 * width - 1);
  const auto cut = [=](Index reach) { return n - begin < reach ? n : begin + reach; };
  return {begin, cut(width), cut(2 * width)};
}

/// How many of the first `diagonal` outputs come from the left run.
template <class Less, class Keys, class Index>
__device__ __forceinline__ Index co_rank(Keys keys, RunPair<Index> runs, Index diagonal) {
  const Keys left = keys + runs.begin;
  const Keys right = keys + runs.middle;
  const Index left_count = runs.middle - runs.begin;
  const Index right_count = runs.end - runs.middle;
  Index low = diagonal > right_count ? diagonal - right_count : 0;
  Index high = diagonal < left_count ? diagonal : left_count;
  while (low < high) {
    const Index i = low + (high - low) / 2;
    if (Less{}(right[diagonal - 1 - i], left[i])) {
      high = i;
    } else {
      low = i + 1;
    }
  }
  return low;
}

/// Merges `steps` outputs of `runs` from the output `diagonal` on and calls put(e, item) for each.
template <class Less, class Key, class Value, class Keys, class Index, class Put>
__device__ __forceinline__ void merge_serially(Items<Key, Value, Keys> items, RunPair<Index> runs,
                                               Index diagonal, unsigned steps, Put put) {
  const Index from_left = co_rank<Less>(items.keys, runs, diagonal);
  Index a = runs.begin + from_left;
  Index b = runs.middle + (diagonal - from_left);
  Key key_a = a < runs.end ? items.keys[a] : Key{};
  Key key_b = b < runs.end ? items.keys[b] : Key{};
  for (unsigned e = 0; e < steps; ++e) {
    const bool takes_left = b == runs.end || (a < runs.middle && !Less{}(key_b, key_a));
    const Index from = takes_left ? a++ : b++;
    Item<Key, Value> item{takes_left ? key_a : key_b, {}};
    if constexpr (Items<Key, Value>::kPairs) item.value = items.values[from];
    put(e, item);
    const Key next = from + 1 < runs.end ? items.keys[from + 1] : Key{};
    if (takes_left) {
      key_a = next;
    } else {
      key_b = next;
    }
  }
}

/// The place of output i in a shared buffer where 32 threads write `items a thread` apart and read
/// side by side: a hole after each 32 items keeps both free of bank conflicts.
__device__ __forceinline__ unsigned skewed(unsigned i) { return i + i / 32; }
constexpr std::size_t skewed_count(std::size_t count) { return count + count / 32; }

}  // namespace sortlab::gpu
