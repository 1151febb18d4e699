// Baseline: tbb::parallel_sort, oneTBB's quicksort: partitions become tasks, std::sort ends the
// small ones.
//
// The first partitions are one thread's work each, which bounds the speed-up. Keys alone are sorted
// in place, as their ordered bits (ordered_bits_in_place.hpp: one instantiation takes seconds to
// compile); pairs go through packed_items.hpp.
// Source: oneTBB.
#include <tbb/parallel_sort.h>
#include <tbb/version.h>

#include "common/contract/variant.hpp"
#include "cpu/baselines/ordered_bits_in_place.hpp"
#include "cpu/primitives/library/packed_items.hpp"
#include "cpu/primitives/library/tbb_threads.hpp"

namespace sortlab {
namespace {
using namespace cpu::baselines;
using namespace cpu::primitives::library;

struct TbbParallelSort : MapsKeys<TbbParallelSort> {
  static constexpr Info info{.summary = "tbb::parallel_sort",
                             .source = "oneTBB",
                             .in_place = true,
                             .parallel = true,
                             .lib_version = "oneTBB " TBB_VERSION_STRING,
                             .temp_policy = TempPolicy::per_call};

  template <class Job>
  static ResultIn sort(const Job& job) {
    with_tbb_threads(job.threads, [&] {
      sort_bits_by_library(
          job, [](auto first, auto last, auto less) { tbb::parallel_sort(first, last, less); },
          TbbChunks{});
    });
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(TbbParallelSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
