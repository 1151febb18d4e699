// ParlayLib's sorts: sample sort, its stable form, and the integer sort (Blelloch et al. 2020).
//
// source    github.com/cmuparlay/parlaylib, commit 51017699 of 2025-09-17
// licence   MIT
// threads   any number; its scheduler is the sort's state. Idle workers search for work for 10 ms
//           before they sleep.
// orders    by `<`: floats without NaN and -0; the integer sort takes the keys' ordered bits, and so
//           sorts all floats
// pairs     packed into items
// limits    without NDEBUG, the key 2^64 - 1 ends integer_sort by an assertion (log2_up of 2^64, which
//           is 0); with it, as here, the result is right
// memory    its allocator keeps what it got once, for the life of the process
#include <parlay/parallel.h>
#include <parlay/primitives.h>
#include <parlay/slice.h>

#include "parlay_scheduler.hpp"

namespace {

struct SampleSort {
  static constexpr auto sort = [](auto first, auto last) {
    parlay::sort_inplace(parlay::make_slice(first, last));
  };
};
struct StableSort {
  static constexpr auto sort = [](auto first, auto last) {
    parlay::stable_sort_inplace(parlay::make_slice(first, last));
  };
};
struct IntegerSort {
  static constexpr auto sort = [](auto first, auto last) {
    parlay::integer_sort_inplace(parlay::make_slice(first, last), peers::OrderedBits{});
  };
};

template <class Sort>
constexpr auto instances(uint32_t traits) {
  traits |= SORTLAB_KEEPS_MEMORY;
  return peers::all_types<peers::Parlay<Sort>>(traits, traits);
}
constexpr auto kSampleSort = instances<SampleSort>(0);
constexpr auto kStableSort = instances<StableSort>(SORTLAB_STABLE);
constexpr auto kIntegerSort = instances<IntegerSort>(SORTLAB_TOTAL_ORDER);

const sortlab_sort sorts[] = {
    peers::parlay_sort("sort", "parlay::sort_inplace, a sample sort", kSampleSort),
    peers::parlay_sort("stable_sort", "parlay::stable_sort_inplace", kStableSort),
    peers::parlay_sort("integer_sort", "parlay::integer_sort_inplace", kIntegerSort)};

}  // namespace

SORTLAB_PLUGIN("parlay", PEER_VERSION, sorts)
