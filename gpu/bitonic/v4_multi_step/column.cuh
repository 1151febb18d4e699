// A column: the 2^bits items of a sequence whose indices differ only in `bits` neighbouring bits,
// held in a thread's registers, and the steps of a bitonic network over those bits.
//
//     index    | high | position | low |        a column: all positions for one (high, low)
//                       `- bits -'
//
// This network has no directions: the smaller item always goes to the lower index. The first step
// of a stage compares the item i with its mirror image in the run of 2^stage items. All other steps
// compare i with i + distance.
//
//     fold    0-----.                  merge   0 --.
//             1---. |   position p and         1 --|-.     position p and p + 2
//             2---' |   its mirror image       2 --' |
//             3-----'                          3 ----'
//
// So a sequence of any n works in place: places from n on count as largest keys. These never move,
// because they are at the upper end of each pair and equal keys are not exchanged. Keys are
// unsigned integers (gpu/primitives/key_map.hpp).
// Source: Batcher 1968; the mirrored form is in Knuth, volume 3, section 5.3.4.
#pragma once

#include <cstddef>

#include "common/contract/items.hpp"
#include "gpu/primitives/thread/networks.cuh"

namespace sortlab::gpu::bitonic::v4_multi_step {

template <class Key, class Value, unsigned kBits>
struct Column {
  static constexpr unsigned kItems = 1u << kBits;
  Item<Key, Value> at[kItems];
};

/// Puts the largest key in all positions.
template <class Key, class Value, unsigned kBits>
__device__ __forceinline__ void fill(Column<Key, Value, kBits>& column) {
#pragma unroll
  for (auto& item : column.at) item = {static_cast<Key>(~Key{0}), {}};
}

/// Puts two items in order, by two selections. For keys alone these are a minimum and a maximum.
template <class Key, class Value>
__device__ __forceinline__ void put_in_order(Item<Key, Value>& low, Item<Key, Value>& high) {
  const auto a = low;
  const auto b = high;
  const bool swaps = b.key < a.key;
  low.key = swaps ? b.key : a.key;
  high.key = swaps ? a.key : b.key;
  if constexpr (Items<Key, Value>::kPairs) {
    low.value = swaps ? b.value : a.value;
    high.value = swaps ? a.value : b.value;
  }
}

/// The steps that a pass does with a column.
enum class Steps : int { sort, fold, merge };

template <Steps kSteps, class Key, class Value, unsigned kBits>
__device__ __forceinline__ void run_steps(Column<Key, Value, kBits>& column) {
  constexpr unsigned kItems = 1u << kBits;
  const auto compare = [&](unsigned p, unsigned q) { put_in_order(column.at[p], column.at[q]); };
  if constexpr (kSteps == Steps::sort) {
    sort_bitonic<kItems, kItems>(compare);
  } else if constexpr (kSteps == Steps::fold) {
    fold_runs<kItems, kItems>(compare);
    merge_bitonic<kItems, kItems / 4>(compare);
  } else {
    merge_bitonic<kItems, kItems / 2>(compare);
  }
}

/// The place of a column: position p is at the index begin(p) + p * 2^low_bit. For a fold, the low
/// bits of the upper half are also the mirror image of the lower half's.
template <class Index>
struct Place {
  Index lower;
  Index upper;

  template <unsigned kBits>
  __device__ __forceinline__ Index begin(unsigned position) const {
    return position < (1u << kBits) / 2 ? lower : upper;
  }
};

/// The place of column number x among all columns with these bits.
template <unsigned kBits, Steps kSteps, class Index>
__device__ __forceinline__ Place<Index> place_of(Index x, unsigned low_bit) {
  const Index low_mask = (Index{1} << low_bit) - 1;
  const Index low = x & low_mask;
  const Index high = (x >> low_bit) << (low_bit + kBits);
  return {high | low, high | (kSteps == Steps::fold ? low_mask - low : low)};
}

}  // namespace sortlab::gpu::bitonic::v4_multi_step
