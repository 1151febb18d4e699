// std::partial_sort: a heap of the best k items, which is sorted at the end, asked for or not.
//
// Keys alone. Source: the standard library.
#include <algorithm>

#include "common/contract/top_k.hpp"

namespace sortlab {
namespace {

struct StdPartialSort {
  using JobKind = Partial;
  static constexpr Info info{
      .summary = "std::partial_sort", .source = "C++ standard library", .in_place = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    const auto begin = job.data.keys;
    // One more puts the item of place k there, too.
    const std::size_t held = job.is_sorted ? job.k : std::min(job.n, job.k + 1);
    std::partial_sort(begin, begin + held, begin + job.n, typename Job::Less{});
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(StdPartialSort, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab
