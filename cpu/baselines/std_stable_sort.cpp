// Baseline: std::stable_sort, the stable sort of the standard library: a merge sort over
// insertion-sorted runs, with a buffer that it allocates itself (and slower merges in place if it
// gets none).
//
// Keys alone are sorted in place; pairs through packed_items.hpp. One thread.
// Source: the standard library.
#include <algorithm>

#include "common/contract/variant.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab {
namespace {
using namespace cpu::primitives::library;

struct StdStableSort : MapsPairs<StdStableSort> {
  static constexpr Info info{.summary = "std::stable_sort",
                             .source = "C++ standard library",
                             .stable = true,
                             .temp_policy = TempPolicy::per_call};

  template <class Job>
  static ResultIn sort(const Job& job) {
    return sort_by_library(
        job, [](auto first, auto last, auto less) { std::stable_sort(first, last, less); });
  }
};
SORTLAB_REGISTER(StdStableSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
