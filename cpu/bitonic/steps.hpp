// The two steps of the bitonic network in its "flip" form, in which all comparisons have the same
// direction.
//
// One flip and then half-cleaners of distance 2^(s-2), ..., 2, 1 sort a block of 2^s items whose
// halves are sorted. Items from n on count as +infinity. An ascending comparison never moves these,
// so pairs without an upper partner are left out, and any n is sorted in place.
//
//   flip, size 8:            half-clean, distance 2:
//   0 1 2 3 4 5 6 7          0 1 2 3 4 5 6 7
//   | | | └─┘ | | |          └─┼─┘ |
//   | | └─────┘ | |            └───┘
//   | └─────────┘ |
//   └─────────────┘
#pragma once

#include <algorithm>
#include <cstddef>

#include "common/contract/items.hpp"
#include "cpu/primitives/branch_free.hpp"

namespace sortlab::cpu::bitonic {
using primitives::swap_if;

template <class Items, class Less>
inline void compare_and_swap(const Items& a, std::size_t i, std::size_t j, Less less) {
  const bool out_of_order = less(a.keys[j], a.keys[i]);
  swap_if(out_of_order, a.keys[i], a.keys[j]);
  if constexpr (Items::kPairs) swap_if(out_of_order, a.values[i], a.values[j]);
}

/// The pairs of one step that one call handles, counted from the beginning of the block.
struct PairRange {
  std::size_t begin, end;
};

/// The pairs of a flip of [block, block + size) whose upper partner lies below n.
inline PairRange flip_pairs(std::size_t block, std::size_t size, std::size_t n) {
  const std::size_t end = size / 2;
  return {block + size > n ? std::min(block + size - n, end) : 0, end};
}

/// The pairs of a half-cleaner of [block, block + 2 * distance) whose upper partner lies below n.
inline PairRange half_clean_pairs(std::size_t block, std::size_t distance, std::size_t n) {
  return {0, block + distance >= n ? 0 : std::min(distance, n - block - distance)};
}

template <class Items, class Less>
void flip(const Items& a, std::size_t block, std::size_t size, PairRange pairs, Less less) {
  for (std::size_t i = pairs.begin; i < pairs.end; ++i) {
    compare_and_swap(a, block + i, block + size - 1 - i, less);
  }
}

template <class Items, class Less>
void half_clean(const Items& a, std::size_t block, std::size_t distance, PairRange pairs,
                Less less) {
  for (std::size_t i = pairs.begin; i < pairs.end; ++i) {
    compare_and_swap(a, block + i, block + i + distance, less);
  }
}

/// All half-cleaners of distance `widest`, widest / 2, ..., 1 over [begin, end).
template <class Items, class Less>
void clean(const Items& a, std::size_t begin, std::size_t end, std::size_t widest, Less less) {
  for (std::size_t distance = widest; distance > 0; distance /= 2) {
    for (std::size_t block = begin; block < end; block += 2 * distance) {
      half_clean(a, block, distance, half_clean_pairs(block, distance, end), less);
    }
  }
}

}  // namespace sortlab::cpu::bitonic
