// std::sort in an OpenMP loop over segments: what most programs do that have several threads.
//
// Keys alone. Threads take 64 segments at a time. Source: the standard library; OpenMP.
#include <algorithm>
#include <cstdint>

#include "common/contract/segments.hpp"

namespace sortlab {
namespace {

struct StdSortSegmentsOpenMp {
  using JobKind = Segments;
  static constexpr Info info{.summary = "std::sort of each segment in an OpenMP loop",
                             .source = "C++ standard library",
                             .after = "cpu/baselines/std_sort_segments",
                             .in_place = true,
                             .parallel = true};

  template <class Job>
  static ResultIn sort(const Job& job) {
    const auto count = static_cast<std::int64_t>(job.cut.count);
#pragma omp parallel for num_threads(job.threads) schedule(dynamic, 64)
    for (std::int64_t i = 0; i < count; ++i) {
      const auto s = static_cast<std::size_t>(i);
      std::sort(job.data.keys + job.cut.begin(s), job.data.keys + job.cut.end(s),
                typename Job::Less());
    }
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(StdSortSegmentsOpenMp, AllKeys, KeysOnly);

}  // namespace
}  // namespace sortlab
