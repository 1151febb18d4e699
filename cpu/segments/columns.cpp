// Short segments side by side: a sorting network down the columns of a transposed block, a segment in each lane.
//
// Over threads: 8 or 16 segments of at most 64 keys share the instructions of one network, and no call is made for each of
// them. Segments of about the same length wait in queues until a batch is full (columns/queues.hpp). A batch is read once,
// transposed in registers, sorted, transposed back and written once; networks of up to 16 rows stay in registers, longer
// ones are merged in the first cache. Values: keys of 4 bytes and their places are sorted as one number of 8, keys of 8
// bytes beside their places; then keys and values move once. Longer segments are sorted as before.
//
// Any lengths, stable: places decide among equal keys. Extra memory: as threads.
// Bytes per u32 key: 8 where segments are short.
// Source: Batcher, "Sorting networks and their applications", 1968; networks over columns: Chhugani et al., "Efficient
// Implementation of Sorting on Multi-Core SIMD CPU Architecture", 2008.
#include <algorithm>

#include "common/contract/segments.hpp"
#include "cpu/primitives/simd/kernels.hpp"
#include "cpu/segments/calls.hpp"
#include "cpu/segments/columns/calls.hpp"
#include "cpu/segments/columns/queues.hpp"
#include "cpu/segments/one_segment.hpp"

#define SORTLAB_KERNELS "cpu/segments/columns/kernels.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::segments::columns
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab::cpu::segments::columns {

template <class Int, bool kFloat>
Calls<Int> calls(Isa isa) {
  return calls_for<Int, kFloat>(isa);
}
template Calls<std::int32_t> calls<std::int32_t, false>(Isa);
template Calls<std::int32_t> calls<std::int32_t, true>(Isa);
template Calls<std::int64_t> calls<std::int64_t, false>(Isa);
template Calls<std::int64_t> calls<std::int64_t, true>(Isa);

}  // namespace sortlab::cpu::segments::columns

namespace sortlab {
namespace {

struct SegmentsColumns {
  using JobKind = Segments;
  static constexpr ParamSpec kParams[] = {
      {.name = "most",
       .fallback = 64,
       .min = 0,
       .max = static_cast<std::int64_t>(cpu::segments::columns::kMostItems),
       .help = "items of the longest segment that is sorted side by side"}};
  static constexpr Info info{.summary = "short segments side by side in vectors",
                             .source = "Batcher 1968; Chhugani et al. 2008",
                             .after = "cpu/segments/threads",
                             .stable = true,
                             .alternate = true,
                             .parallel = true,
                             .isas = kEveryIsa,
                             .params = kParams};

  static std::size_t workspace_bytes(const SegmentsRequest& request) {
    return cpu::segments::workspace_of_one(request.longest, request.array.key_bytes,
                                           request.array.value_bytes, 1) *
           static_cast<std::size_t>(request.array.threads);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    const auto most = static_cast<std::size_t>(job.params["most"]);
    const cpu::segments::TypedCall<typename Job::Key, typename Job::Value, Job::kOrder> call(
        cpu::segments::call_of(job));
    cpu::segments::deal_segments(job, [&](std::size_t first, std::size_t last, const auto& one) {
      cpu::segments::columns::Queues queues(call);
      for (std::size_t s = first; s < last; ++s) {
        const std::size_t begin = job.cut.begin(s), end = job.cut.end(s);
        if (end - begin <= most) {
          queues.add(begin, end - begin);
        } else {
          one.sort_part(job, begin, end);
        }
      }
      queues.finish();
    });
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(SegmentsColumns, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
