// What a team of gpu/radix/small sorts, and where to.
#pragma once

#include "gpu/primitives/block/tile.cuh"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu::radix::small {

constexpr unsigned kMaxTeam = 256;

/// How a large team of pairs leaves uneven ones to the sweeps that are launched behind it (sweeps.cuh).
struct LeftToSweeps {
  unsigned* cleared = nullptr;  // what has to be zero before them
  unsigned cleared_words = 0;
  bool* is_left = nullptr;  // whether the items are left to them

  /// All threads of the team call it, with their numbers.
  __device__ __forceinline__ void clear(unsigned me, unsigned threads) const {
    for (unsigned i = me; i < cleared_words; i += threads) cleared[i] = 0;
    if (me == 0) *is_left = false;
  }
};

/// What is sorted, and where to. Items go from `data`, which stays as it is, through `exchange` to
/// `result`. Of pairs, `exchange` first takes places as its values: the values stay where they are
/// until all items are in order (passes.cuh moves the values themselves). `spare` serves buckets that are too large. `result` and `spare` may
/// be `exchange` and `data`; of keys alone `spare` is `result`. Pairs without values in `data` get
/// their places as values.
template <class BitsT, class ValueT>
struct TeamJob {
  using Bits = BitsT;
  using Value = ValueT;
  static constexpr bool kPairs = Items<Bits, Value>::kPairs;

  Items<Bits, Value> data;
  Items<Bits, Value> exchange;
  Items<Bits, Value> spare;  // values are places
  Items<Bits, Value> result;
  unsigned n;
  KeyMap<Bits> map;
  LeftToSweeps sweeps = {};  // of a large team of pairs alone

  __device__ __forceinline__ Bits key(unsigned place) const {
    return map.ordered(data.keys[place]);
  }
  /// What lies in the exchange buffer at p; other blocks wrote it.
  __device__ __forceinline__ Bits exchanged_key(unsigned p) const {
    return __ldcg(&exchange.keys[p]);
  }
  __device__ __forceinline__ unsigned exchanged_place(unsigned p) const {
    if constexpr (kPairs) return __ldcg(&exchange.values[p]);
    return 0;
  }
  /// The value of the item that was at `place`.
  __device__ __forceinline__ Value value(unsigned place) const {
    return data.values == nullptr ? static_cast<Value>(place) : data.values[place];
  }
  __device__ __forceinline__ void prefetch_value(unsigned place) const {
    if (data.values == nullptr) return;
    asm volatile("prefetch.global.L1 [%0];" ::"l"(__cvta_generic_to_global(&data.values[place])));
  }
  /// The item that is to be the one at p in the result.
  __device__ __forceinline__ void put_result(unsigned p, Item<Bits, Value> item) const {
    if constexpr (kPairs) {
      result.put(p, {map.key(item.key), value(item.value)});
    } else {
      result.keys[p] = map.key(item.key);
    }
  }
};

}  // namespace sortlab::gpu::radix::small
