// std::nth_element, and std::sort of the best k items where these are to be sorted.
//
// Keys alone. Source: the standard library.
#include <algorithm>

#include "common/contract/top_k.hpp"

namespace sortlab {
namespace {

struct StdNthElement {
  using JobKind = Partial;
  static constexpr Info info{.summary = "std::nth_element, and std::sort of what comes before it",
                             .source = "C++ standard library",
                             .in_place = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    const auto begin = job.data.keys, middle = begin + job.k;
    const typename Job::Less less;
    std::nth_element(begin, middle, begin + job.n, less);
    if (job.is_sorted) std::sort(begin, middle, less);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(StdNthElement, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab
