// Baseline: Boost's block_indirect_sort: sorts on all threads, then merges whole blocks by moving
// indices to them first and the blocks once, at the end.
//
// It allocates a few blocks per thread rather than a second array. Keys alone are sorted in place,
// as their ordered bits (ordered_bits_in_place.hpp: one instantiation takes seconds to compile);
// pairs go through packed_items.hpp.
// Source: Tapia, Boost.Sort.
#include <boost/sort/block_indirect_sort/block_indirect_sort.hpp>
#include <boost/version.hpp>

#include "common/contract/variant.hpp"
#include "cpu/baselines/chunks.hpp"
#include "cpu/baselines/ordered_bits_in_place.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab {
namespace {
using namespace cpu::baselines;
using namespace cpu::primitives::library;

struct BoostBlockIndirectSort : MapsKeys<BoostBlockIndirectSort> {
  static constexpr Info info{.summary = "boost::sort::block_indirect_sort",
                             .source = "Boost.Sort",
                             .parallel = true,
                             .lib_version = "Boost " BOOST_LIB_VERSION,
                             .temp_policy = TempPolicy::per_call};

  template <class Job>
  static ResultIn sort(const Job& job) {
    const auto threads = static_cast<std::uint32_t>(job.threads);
    return sort_bits_by_library(
        job,
        [=](auto first, auto last, auto less) {
          boost::sort::block_indirect_sort(first, last, less, threads);
        },
        StdThreadChunks{job.threads});
  }
};
SORTLAB_REGISTER(BoostBlockIndirectSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
