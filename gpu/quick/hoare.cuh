// Sequential quicksort pieces that one thread runs, on the GPU or on the host: Hoare's partition,
// the choice of a pivot, insertion sort, and heapsort for segments with repeatedly bad pivots.
#pragma once

#include <cstddef>

#include "common/contract/items.hpp"

namespace sortlab::gpu::quick {

/// The parts of a partitioned segment: [begin, left_end) and [right_begin, end). The key between
/// them (equal to the pivot), if there is one, is in place.
struct Split {
  std::size_t left_end;
  std::size_t right_begin;
};

/// Hoare's partition of [begin, end) around the key `pivot`, which must be one of the segment's:
///
///     [ <= pivot | i -> ... unseen ... <- j | >= pivot ]
///
/// Both scans stop at keys equal to the pivot, so that duplicates are distributed evenly to both
/// sides. The pivot stops the first scans, and a swapped item stops later ones, so no scan leaves
/// the segment. Both parts are shorter than the segment.
template <class Less, class Key, class Value>
SORTLAB_HD Split hoare_partition(Items<Key, Value> items, std::size_t begin, std::size_t end,
                                 Key pivot) {
  const Less less;
  std::size_t i = begin;
  std::size_t j = end;
  do {
    while (less(items.keys[i], pivot)) ++i;
    while (less(pivot, items.keys[j - 1])) --j;
    if (i >= j) break;
    items.swap(i++, --j);
  } while (i < j);
  return {j, i};
}

template <class Less, class Key>
SORTLAB_HD Key median_of_3(Key a, Key b, Key c) {
  const Less less;
  if (less(b, a)) return less(c, b) ? b : (less(c, a) ? c : a);
  return less(c, a) ? a : (less(c, b) ? c : b);
}

/// The median of 9 keys, as the median of three medians, for segments of more than 2048 keys;
/// otherwise of 3.
template <class Less, class Key>
SORTLAB_HD Key pivot_of(const Key* keys, std::size_t begin, std::size_t end) {
  constexpr std::size_t kLarge = 2048;
  const Key* const k = keys + begin;
  const std::size_t count = end - begin;
  if (count <= kLarge) return median_of_3<Less>(k[0], k[count / 2], k[count - 1]);
  const std::size_t step = (count - 1) / 8;
  return median_of_3<Less>(median_of_3<Less>(k[0], k[step], k[2 * step]),
                           median_of_3<Less>(k[3 * step], k[4 * step], k[5 * step]),
                           median_of_3<Less>(k[6 * step], k[7 * step], k[8 * step]));
}

template <class Less, class Key, class Value>
SORTLAB_HD void insertion_sort(Items<Key, Value> items, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin + 1; i < end; ++i) {
    const auto item = items[i];
    std::size_t hole = i;
    for (; hole > begin && Less{}(item.key, items.keys[hole - 1]); --hole) {
      items.put(hole, items[hole - 1]);
    }
    items.put(hole, item);
  }
}

/// Lets the item at `root` of the heap items[0, count) sink to its place.
template <class Less, class Key, class Value>
SORTLAB_HD void sift_down(Items<Key, Value> items, std::size_t root, std::size_t count) {
  const auto item = items[root];
  for (;;) {
    std::size_t child = 2 * root + 1;
    if (child >= count) break;
    if (child + 1 < count && Less{}(items.keys[child], items.keys[child + 1])) ++child;
    if (!Less{}(item.key, items.keys[child])) break;
    items.put(root, items[child]);
    root = child;
  }
  items.put(root, item);
}

template <class Less, class Key, class Value>
SORTLAB_HD void heap_sort(Items<Key, Value> items, std::size_t begin, std::size_t end) {
  const auto heap = items.from(begin);
  std::size_t count = end - begin;
  for (std::size_t root = count / 2; root-- > 0;) sift_down<Less>(heap, root, count);
  while (count > 1) {
    heap.swap(0, --count);
    sift_down<Less>(heap, 0, count);
  }
}

}  // namespace sortlab::gpu::quick
