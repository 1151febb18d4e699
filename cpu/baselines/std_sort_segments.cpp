// std::sort in a loop over segments, one thread: what most programs do.
//
// Keys alone. Source: the standard library.
#include <algorithm>

#include "common/contract/segments.hpp"

namespace sortlab {
namespace {

struct StdSortSegments {
  using JobKind = Segments;
  static constexpr Info info{.summary = "std::sort of each segment in a loop",
                             .source = "C++ standard library",
                             .in_place = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    for (std::size_t s = 0; s < job.cut.count; ++s) {
      std::sort(job.data.keys + job.cut.begin(s), job.data.keys + job.cut.end(s),
                typename Job::Less());
    }
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(StdSortSegments, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab
