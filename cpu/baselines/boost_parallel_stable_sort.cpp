// Baseline: Boost's parallel_stable_sort: a merge sort on all threads.
//
// It allocates half of the input's size itself. Keys alone are sorted in place, as their ordered
// bits (ordered_bits_in_place.hpp: one instantiation takes seconds to compile); pairs go through
// packed_items.hpp.
// Source: Tapia, Boost.Sort.
#include <boost/sort/parallel_stable_sort/parallel_stable_sort.hpp>
#include <boost/version.hpp>

#include "common/contract/variant.hpp"
#include "cpu/baselines/chunks.hpp"
#include "cpu/baselines/ordered_bits_in_place.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab {
namespace {
using namespace cpu::baselines;
using namespace cpu::primitives::library;

struct BoostParallelStableSort : MapsKeys<BoostParallelStableSort> {
  static constexpr Info info{.summary = "boost::sort::parallel_stable_sort",
                             .source = "Boost.Sort",
                             .stable = true,
                             .parallel = true,
                             .lib_version = "Boost " BOOST_LIB_VERSION,
                             .temp_policy = TempPolicy::per_call};

  template <class Job>
  static ResultIn sort(const Job& job) {
    const auto threads = static_cast<std::uint32_t>(job.threads);
    return sort_bits_by_library(
        job,
        [=](auto first, auto last, auto less) {
          boost::sort::parallel_stable_sort(first, last, less, threads);
        },
        StdThreadChunks{job.threads});
  }
};
SORTLAB_REGISTER(BoostParallelStableSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
