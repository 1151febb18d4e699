// Baseline: ips4o::sort, in-place super scalar samplesort on one thread.
//
// A tree of 255 splitters, walked without branches, gives each key its bucket; blocks of a bucket are
// then moved to their place in the array. Keys alone are sorted in place, as their ordered bits
// (ordered_bits_in_place.hpp: one instantiation takes seconds to compile); pairs go through
// packed_items.hpp. Debian packs the authors' code of 2019.
// Source: Axtmann et al. 2017; the IPS4o library.
#include <ips4o.hpp>

#include "common/contract/variant.hpp"
#include "cpu/baselines/ordered_bits_in_place.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab {
namespace {
using namespace cpu::baselines;
using namespace cpu::primitives::library;

struct Ips4oSort : MapsKeys<Ips4oSort> {
  static constexpr Info info{.summary = "ips4o::sort",
                             .source = "IPS4o",
                             .in_place = true,
                             .lib_version = "IPS4o, of no version",
                             .temp_policy = TempPolicy::per_call};

  template <class Job>
  static ResultIn sort(const Job& job) {
    return sort_bits_by_library(
        job, [](auto first, auto last, auto less) { ips4o::sort(first, last, less); });
  }
};
SORTLAB_REGISTER(Ips4oSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
