// A heap of the best k items so far, the worst of them at its root; a better item takes the root's place.
//
// The first rung, and what std::partial_sort does. Fast while k is small: most items are compared with the root alone.
// Many good items late in the array cost log k each.
//
// Any k, in place. At most about n log2 k comparisons.
// Source: textbook (Williams, "Algorithm 232: Heapsort", 1964).
#include "common/contract/top_k.hpp"
#include "cpu/primitives/simple_sorts.hpp"

namespace sortlab {
namespace {

struct PartialHeap {
  using JobKind = Partial;
  static constexpr Info info{.summary = "a heap of the best k items so far", .in_place = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    const typename Job::Less less;
    const auto& items = job.data;
    // With the item of place k in the heap, too, its root is that item at the end.
    const std::size_t held = job.is_sorted || job.k == job.n ? job.k : job.k + 1;
    if (held == 0) return ResultIn::data;
    for (std::size_t root = held / 2; root-- > 0;) {
      cpu::primitives::sift_down(items, root, held, less);
    }
    for (std::size_t i = held; i < job.n; ++i) {
      if (!less(items.keys[i], items.keys[0])) continue;
      items.swap(i, 0);
      cpu::primitives::sift_down(items, 0, held, less);
    }
    if (job.is_sorted) {
      cpu::primitives::heap_sort(items, 0, held, less);
    } else if (held > job.k) {
      items.swap(0, job.k);
    }
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(PartialHeap, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
