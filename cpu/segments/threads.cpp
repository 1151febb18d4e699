// Threads over segments: each takes the next few segments, and sorts them as the loop does.
//
// Over loop: all threads. A thread that is done takes more, so segments of unequal lengths are no trouble, unless one of
// them is longer than the share of a thread: then all wait for it.
//
// Any lengths, stable. Extra memory: n items, and the workspace of the longest segment for each thread.
// Source: textbook.
#include <algorithm>

#include "common/contract/segments.hpp"
#include "cpu/primitives/parallel.hpp"
#include "cpu/segments/one_segment.hpp"

namespace sortlab {
namespace {
namespace parallel = cpu::primitives::parallel;

struct SegmentsThreads {
  using JobKind = Segments;
  static constexpr Info info{.summary = "threads take segments, cpu/auto sorts each",
                             .after = "cpu/segments/loop",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa};

  static std::size_t workspace_bytes(const SegmentsRequest& request) {
    return of_thread(request) * static_cast<std::size_t>(request.array.threads);
  }
  static std::size_t of_thread(const SegmentsRequest& request) {
    return cpu::segments::workspace_of_one(request.array, request.longest, 1);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    const std::size_t share =
        job.workspace.size() / static_cast<std::size_t>(job.threads) / 256 * 256;
    const int threads =
        parallel::at_hand(parallel::threads_for(job.n, parallel::kItemsPerThread, job.threads));
    const std::size_t parts = std::min<std::size_t>(
        job.cut.count, threads == 1 ? 1 : static_cast<std::size_t>(threads) * 64);
    parallel::for_each_part(parts, threads, [&](std::size_t part, int t) {
      const auto one = cpu::segments::OneSegment::of(
          job, 1, job.workspace.data() + static_cast<std::size_t>(t) * share, share);
      const std::size_t last = job.cut.count * (part + 1) / parts;
      for (std::size_t s = job.cut.count * part / parts; s < last; ++s) {
        one.sort_part(job, job.cut.begin(s), job.cut.end(s));
      }
    });
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(SegmentsThreads, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
