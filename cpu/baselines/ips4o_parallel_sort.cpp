// Baseline: ips4o::parallel::sort, in-place super scalar samplesort on OpenMP's threads.
//
// All threads partition large ranges together, each its own part of the array, and then exchange
// blocks; small ranges are sorted by one thread each. Keys alone are sorted in place, as their ordered
// bits (ordered_bits_in_place.hpp: one instantiation takes seconds to compile); pairs go through
// packed_items.hpp. Debian packs the authors' code of 2019.
// Source: Axtmann et al. 2017; the IPS4o library.
#include <ips4o.hpp>

#include "common/contract/variant.hpp"
#include "cpu/baselines/chunks.hpp"
#include "cpu/baselines/ordered_bits_in_place.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab {
namespace {
using namespace cpu::baselines;
using namespace cpu::primitives::library;

struct Ips4oParallelSort : MapsKeys<Ips4oParallelSort> {
  static constexpr Info info{.summary = "ips4o::parallel::sort",
                             .source = "IPS4o",
                             .in_place = true,
                             .parallel = true,
                             .lib_version = "IPS4o, of no version",
                             .temp_policy = TempPolicy::per_call};

  template <class Job>
  static ResultIn sort(const Job& job) {
    return sort_bits_by_library(
        job,
        [&](auto first, auto last, auto less) {
          ips4o::parallel::sort(first, last, less, job.threads);
        },
        OpenMpChunks{job.threads});
  }
};
SORTLAB_REGISTER(Ips4oParallelSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
