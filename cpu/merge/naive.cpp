// Merge sort in textbook form: sort the left half, sort the right half, merge.
//
// First rung of the ladder. Each merge writes into the second buffer and copies the result back, so
// every one of the log2 n levels moves each item twice. The inner loop branches on a comparison
// that is unpredictable for random keys.
//
// Stable. Bytes per key and level: 4 key widths (merge: read, write; copy back: read, write).
// Against the sources: built for any x86-64 CPU, not with -march=native -mavx2.
// Source: Goralija et al., III (recursive top-down: Bosnian edition, III.B).
#include <cstddef>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

//   a: lo [ left run, sorted ] mid [ right run, sorted ] hi
//             ^ i                      ^ j
//   temp: lo [ merged so far ..... ^ out              ] hi     on a tie the left item goes first
template <class Items, class Less>
void merge(const Items& a, const Items& temp, std::size_t lo, std::size_t mid, std::size_t hi,
           Less less) {
  std::size_t i = lo, j = mid;
  for (std::size_t out = lo; out < hi; ++out) {
    const bool take_left = j == hi || (i < mid && !less(a.keys[j], a.keys[i]));
    temp.put(out, take_left ? a[i++] : a[j++]);
  }
  for (std::size_t k = lo; k < hi; ++k) a.put(k, temp[k]);
}

template <class Items, class Less>
void merge_sort(const Items& a, const Items& temp, std::size_t lo, std::size_t hi, Less less) {
  if (hi - lo < 2) return;
  const std::size_t mid = lo + (hi - lo) / 2;
  merge_sort(a, temp, lo, mid, less);
  merge_sort(a, temp, mid, hi, less);
  merge(a, temp, lo, mid, hi, less);
}

struct MergeNaive {
  static constexpr Info info{.summary = "recursive top-down merge sort",
                             .source = "Goralija et al., III.B",
                             .stable = true,
                             .alternate = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    merge_sort(job.data, job.alternate, 0, job.n, typename Job::Less{});
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(MergeNaive, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
