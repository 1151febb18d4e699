// A loop: the segments one after the other, each by cpu/auto.
//
// The first rung, and what a program does that has no sort of segments. A call takes 5 to 20 ns before it compares a
// key, so segments of a few keys cost more than their sort.
//
// Any lengths, stable. Extra memory: n items, and the workspace of the longest segment.
// Source: textbook.
#include "common/contract/segments.hpp"
#include "cpu/segments/one_segment.hpp"

namespace sortlab {
namespace {

struct SegmentsLoop {
  using JobKind = Segments;
  static constexpr Info info{.summary = "each segment by cpu/auto, one after the other",
                             .stable = true,
                             .alternate = true,
                             .isas = kEveryIsa};

  static std::size_t workspace_bytes(const SegmentsRequest& request) {
    return cpu::segments::workspace_of_one(request.longest, request.array.key_bytes,
                                           request.array.value_bytes, 1);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    const auto one =
        cpu::segments::OneSegment::of(job, 1, job.workspace.data(), job.workspace.size());
    for (std::size_t s = 0; s < job.cut.count; ++s) {
      one.sort_part(job, job.cut.begin(s), job.cut.end(s));
    }
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(SegmentsLoop, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
