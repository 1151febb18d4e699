// Two simple sorts, in place, for the pieces of the others.
#pragma once

#include <cstddef>

namespace sortlab::cpu::primitives {

/// Insertion sort, for the smallest pieces of recursive sorts. Stable, O(n^2).
///
///   [ sorted ......... | item | not seen yet ]
///          ^ hole moves left past every greater item
template <class Items, class Less>
void insertion_sort(const Items& a, std::size_t begin, std::size_t end, Less less) {
  for (std::size_t i = begin + 1; i < end; ++i) {
    const auto item = a[i];
    std::size_t hole = i;
    for (; hole > begin && less(item.key, a[hole - 1].key); --hole) a.put(hole, a[hole - 1]);
    a.put(hole, item);
  }
}

/// Lets the item at `root` sink until no child is greater; the heap is [begin, begin + n).
template <class Items, class Less>
void sift_down(const Items& heap, std::size_t root, std::size_t n, Less less) {
  const auto item = heap[root];
  for (std::size_t child; (child = 2 * root + 1) < n; root = child) {
    if (child + 1 < n && less(heap.keys[child], heap.keys[child + 1])) ++child;
    if (!less(item.key, heap.keys[child])) break;
    heap.put(root, heap[child]);
  }
  heap.put(root, item);
}

/// Heap sort, the fallback of a quicksort after too many bad splits. Always O(n log n).
///
///   [ heap, greatest item first | sorted, all greater ]
template <class Items, class Less>
void heap_sort(const Items& a, std::size_t begin, std::size_t end, Less less) {
  const Items heap = a.from(begin);
  const std::size_t n = end - begin;
  for (std::size_t root = n / 2; root-- > 0;) sift_down(heap, root, n, less);
  for (std::size_t last = n; last-- > 1;) {
    heap.swap(0, last);
    sift_down(heap, 0, last, less);
  }
}

}  // namespace sortlab::cpu::primitives
