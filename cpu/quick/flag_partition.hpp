// Dijkstra's Dutch national flag partition: below, equal to and above the pivot in one pass.
#pragma once

#include <cstddef>

#include "cpu/primitives/branch_free.hpp"

namespace sortlab::cpu::quick {
using primitives::select;

/// The middle part of a three-way partition; keys before it are less, keys behind it are greater.
struct EqualRange {
  std::size_t begin, end;
};

//   lo                                              hi
//   [ < pivot | == pivot | > pivot | x  not seen ]
//              ^ equal    ^ greater ^ i
//
// A rotation of (equal, greater, x) inserts x. For an x that belongs further right, some indices of
// the rotation are equal, so it does less or nothing. Only the indices depend on the keys, so there
// is no branch.
template <class Items, class Less>
EqualRange flag_partition(const Items& a, std::size_t lo, std::size_t hi, typename Items::Key pivot,
                          Less less) {
  std::size_t equal = lo, greater = lo;
  for (std::size_t i = lo; i < hi; ++i) {
    const auto x = a[i];
    const bool is_less = less(x.key, pivot);
    const bool is_greater = less(pivot, x.key);
    const std::size_t second = select(is_greater, i, greater);
    const std::size_t first = select(is_less, equal, second);
    a.put(i, a[second]);
    a.put(second, a[first]);
    a.put(first, x);
    equal += is_less;
    greater += !is_greater;
  }
  return {equal, greater};
}

}  // namespace sortlab::cpu::quick
