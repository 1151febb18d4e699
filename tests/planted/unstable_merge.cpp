// A merge sort that claims to be stable, but takes the right run's item if both keys are equal.
#include <algorithm>

#include "common/contract/variant.hpp"

namespace sortlab {
namespace {

template <class Items, class Less>
void merge_sort(const Items& a, const Items& temp, std::size_t lo, std::size_t hi, Less less) {
  if (hi - lo < 2) return;
  const std::size_t mid = lo + (hi - lo) / 2;
  merge_sort(a, temp, lo, mid, less);
  merge_sort(a, temp, mid, hi, less);
  std::size_t i = lo, j = mid;
  for (std::size_t out = lo; out < hi; ++out) {
    const bool take_left = j == hi || (i < mid && less(a.keys[i], a.keys[j]));
    temp.put(out, take_left ? a[i++] : a[j++]);
  }
  for (std::size_t k = lo; k < hi; ++k) a.put(k, temp[k]);
}

struct UnstableMerge {
  static constexpr Info info{.summary = "merges with the wrong comparison",
                             .source = "made for the tests",
                             .stable = true,
                             .alternate = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    merge_sort(job.data, job.alternate, 0, job.n, typename Job::Less{});
    return ResultIn::data;
  }
};

SORTLAB_REGISTER(UnstableMerge, TypeList<std::int32_t>, KeysAndPairs);

}  // namespace
}  // namespace sortlab
