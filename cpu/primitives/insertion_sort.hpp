// Insertion sort, for the smallest pieces of recursive sorts. Stable, in place, O(n^2).
#pragma once

#include <cstddef>

namespace sortlab::cpu::primitives {

//   [ sorted ......... | item | not seen yet ]
//          ^ hole moves left past every greater item
template <class Items, class Less>
void insertion_sort(const Items& a, std::size_t begin, std::size_t end, Less less) {
  for (std::size_t i = begin + 1; i < end; ++i) {
    const auto item = a[i];
    std::size_t hole = i;
    for (; hole > begin && less(item.key, a[hole - 1].key); --hole) a.put(hole, a[hole - 1]);
    a.put(hole, item);
  }
}

}  // namespace sortlab::cpu::primitives
