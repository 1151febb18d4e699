// Baseline: Boost's pdqsort, pattern-defeating quicksort: an introsort that notices sorted
// stretches and bad partitions, and partitions without branches.
//
// Calls the branch-free form by name: comparisons of keys need no branch here, but the library
// knows this only for std::less and std::greater of numbers. Keys alone are sorted in place; pairs
// through packed_items.hpp. One thread.
// Source: Peters, "Pattern-defeating Quicksort", 2021; Boost.Sort.
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <boost/version.hpp>

#include "common/contract/variant.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab {
namespace {
using namespace cpu::primitives::library;

struct BoostPdqsort : MapsPairs<BoostPdqsort> {
  static constexpr Info info{.summary = "boost::sort::pdqsort_branchless",
                             .source = "Boost.Sort",
                             .in_place = true,
                             .lib_version = "Boost " BOOST_LIB_VERSION};

  template <class Job>
  static ResultIn sort(const Job& job) {
    return sort_by_library(job, [](auto first, auto last, auto less) {
      boost::sort::pdqsort_branchless(first, last, less);
    });
  }
};
SORTLAB_REGISTER(BoostPdqsort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
