// Quicksort with Hoare's partition and the median of three as pivot.
//
// Over the naive rung: two scans that meet swap only items on the wrong side, about a third of
// Lomuto's swaps, and stop on equal keys, so that duplicates split evenly; the median of three
// makes sorted input the best case; the code recurses only into the shorter side and loops over the
// longer one, so the depth is at most log2 n for any input; insertion sort handles pieces under 24
// items.
//
// In place, not stable. About 1.19 n log2 n comparisons on random keys. Input constructed against
// the median of three takes quadratic time (but never deep recursion): see patience().
// On random keys both rungs mispredict the branch of half of the comparisons, so the gain is small, and none on a
// Zen 4 (results/amd2/attempts/first_rungs.1.txt).
// Gain over naive: 1.17x (2^24 u32 keys, 1 thread of an Intel Xeon;
// results/h200/cpu.summary.csv).
// Against the sources: built for any x86-64 CPU, not with -march=native -mavx2.
// Source: Goralija et al., III.B ("Hoare, median of three, tail recursion, insertion sort").
#include <cstddef>

#include "common/contract/variant.hpp"
#include "cpu/primitives/simple_sorts.hpp"

namespace sortlab {
namespace {
using cpu::primitives::insertion_sort;

constexpr std::size_t kInsertionBelow = 24;

/// Sorts the items at lo, mid and hi - 1; the one in the middle is the pivot, the others stop the
/// scans.
template <class Items, class Less>
auto median_of_three(const Items& a, std::size_t lo, std::size_t hi, Less less) {
  const std::size_t mid = lo + (hi - lo) / 2, last = hi - 1;
  if (less(a.keys[mid], a.keys[lo])) a.swap(mid, lo);
  if (less(a.keys[last], a.keys[mid])) {
    a.swap(last, mid);
    if (less(a.keys[mid], a.keys[lo])) a.swap(mid, lo);
  }
  return a.keys[mid];
}

//   lo                                        hi
//   [ <= pivot ... | not seen | ... >= pivot ]       i stops at a key not below the pivot,
//                   ^i      ^j                       j at one not above it; the two are swapped
template <class Items, class Less>
std::size_t hoare_partition(const Items& a, std::size_t lo, std::size_t hi, Less less) {
  const auto pivot = median_of_three(a, lo, hi, less);
  std::size_t i = lo, j = hi - 1;
  for (;;) {
    do ++i;
    while (less(a.keys[i], pivot));
    do --j;
    while (less(pivot, a.keys[j]));
    if (i >= j)
      return i;  // all before i are <= pivot, all from i on >= pivot; both sides hold items
    a.swap(i, j);
  }
}

template <class Items, class Less>
void quick_sort(const Items& a, std::size_t lo, std::size_t hi, Less less) {
  while (hi - lo >= kInsertionBelow) {
    const std::size_t split = hoare_partition(a, lo, hi, less);
    if (split - lo < hi - split) {
      quick_sort(a, lo, split, less);
      lo = split;
    } else {
      quick_sort(a, split, hi, less);
      hi = split;
    }
  }
  insertion_sort(a, lo, hi, less);
}

struct QuickOptimized {
  static constexpr Info info{.summary = "Hoare partition, median of three, insertion sort under 24",
                             .source = "Goralija et al., III.B",
                             .after = "cpu/quick/naive",
                             .in_place = true};

  static Limit patience(std::string_view dist) {
    if (dist == "killer3")
      return {std::size_t{1} << 16, "quadratic: made against the median of three"};
    return {};
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    quick_sort(job.data, 0, job.n, typename Job::Less{});
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(QuickOptimized, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
