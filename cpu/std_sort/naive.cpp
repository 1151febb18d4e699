// std::sort with its defaults: introsort, a quicksort that switches to heapsort when it recurses
// too deep, and ends with one insertion sort.
//
// Most programs call it, so it is the reference for the other rungs. O(n log n) comparisons on any
// input, one thread. Keys alone are sorted in place; pairs through packed_items.hpp.
// Against the sources: built for any x86-64 CPU, not with -march=native -mavx2.
// Source: Goralija et al., Table I; Musser, "Introspective Sorting and Selection Algorithms", 1997;
// the standard library.
#include <algorithm>

#include "common/contract/variant.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab {
namespace {
using namespace cpu::primitives::library;

struct StdSort {
  static constexpr Info info{.summary = "std::sort",
                             .source = "Goralija et al., Table I; C++ standard library",
                             .in_place = true};

  // Maps the keys of pairs: one instance for each width.
  template <class Job>
  requires Job::kPairs static ResultIn sort_erased(const ErasedJob& job) {
    return sort_bits<StdSort, Job>(job);
  }
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return packed_bytes(request);
  }
  template <class Job>
  static ResultIn sort(const Job& job) {
    return sort_by_library(job,
                           [](auto first, auto last, auto less) { std::sort(first, last, less); });
  }
};
SORTLAB_REGISTER(StdSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
