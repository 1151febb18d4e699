// Threads over segments: each takes the next few segments, and sorts them as the loop does.
//
// Over loop: all threads. A thread that is done takes more, so segments of unequal lengths are no trouble, unless one of
// them is longer than the share of a thread: then all wait for it.
//
// Any lengths, stable. Extra memory: n items, and the workspace of the longest segment for each thread.
// Source: textbook.
#include "common/contract/segments.hpp"
#include "cpu/segments/one_segment.hpp"

namespace sortlab {
namespace {

struct SegmentsThreads {
  using JobKind = Segments;
  static constexpr Info info{.summary = "threads take segments, cpu/auto sorts each",
                             .after = "cpu/segments/loop",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa};

  static std::size_t workspace_bytes(const SegmentsRequest& request) {
    return cpu::segments::workspace_of_one(request.longest, request.array.key_bytes,
                                           request.array.value_bytes, 1) *
           static_cast<std::size_t>(request.array.threads);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    cpu::segments::deal_segments(job, [&](std::size_t first, std::size_t last, const auto& one) {
      for (std::size_t s = first; s < last; ++s) {
        one.sort_part(job, job.cut.begin(s), job.cut.end(s));
      }
    });
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(SegmentsThreads, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
