// Baseline: Boost's spreadsort, a hybrid: radix buckets by the most significant bits in which the
// keys differ, comparison sort of the buckets once they are small.
//
// It sorts integers (and floats, though not in totalOrder), so keys alone become their ordered
// bits, in place and timed (ordered_bits_in_place.hpp); pairs go through packed_items.hpp. One
// thread.
// Source: Ross, "The Spreadsort High-performance General-case Sorting Algorithm", 2002;
// Boost.Sort.
#include <boost/sort/spreadsort/integer_sort.hpp>
#include <boost/version.hpp>

#include "common/contract/variant.hpp"
#include "cpu/baselines/ordered_bits_in_place.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab {
namespace {
using namespace cpu::baselines;
using namespace cpu::primitives::library;

struct BoostSpreadsort : MapsKeys<BoostSpreadsort> {
  static constexpr Info info{.summary = "boost::sort::spreadsort::integer_sort",
                             .source = "Boost.Sort",
                             .in_place = true,
                             .lib_version = "Boost " BOOST_LIB_VERSION,
                             .temp_policy = TempPolicy::per_call};

  template <class Job>
  static ResultIn sort(const Job& job) {
    using boost::sort::spreadsort::integer_sort;
    if constexpr (Job::kPairs) {
      using Packed = PackedItem<Job>;
      const auto shifted_key = [](const Packed& item, unsigned shift) { return item.key >> shift; };
      sort_packed<Packed>(job, [&](Packed* first, Packed* last) {
        integer_sort(first, last, shifted_key, PackedLess{});
      });
    } else {
      sort_ordered_bits_in_place(job, [](auto first, auto last) { integer_sort(first, last); });
    }
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(BoostSpreadsort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
