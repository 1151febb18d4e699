// Baseline: __gnu_parallel::sort of libstdc++'s parallel mode (OpenMP): each thread sorts a chunk
// with std::sort, then a multiway merge with exact splitting gives each thread an equal share of
// the output.
//
// It allocates a copy of the input itself, and sorts on one thread below 1000 items (its own
// setting). Keys alone are sorted in place, as their ordered bits (ordered_bits_in_place.hpp: one
// instantiation takes seconds to compile); pairs go through packed_items.hpp. GCC only: the
// parallel mode's headers are not for Clang.
// Source: Singler, Sanders, Putze, "MCSTL: The Multi-core Standard Template Library", Euro-Par
// 2007.
#include <omp.h>

#include <parallel/algorithm>

#include "common/contract/variant.hpp"
#include "cpu/baselines/chunks.hpp"
#include "cpu/baselines/ordered_bits_in_place.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab {
namespace {
using namespace cpu::baselines;
using namespace cpu::primitives::library;

/// The library asks OpenMP for the number of threads. So this sets it, and restores it afterwards.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(int threads) : before_(omp_get_max_threads()) {
    omp_set_num_threads(threads);
  }
  ~OpenMpThreads() { omp_set_num_threads(before_); }
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;

 private:
  int before_;
};

struct GnuParallelSort : MapsKeys<GnuParallelSort> {
  static constexpr Info info{.summary = "__gnu_parallel::sort",
                             .source = "libstdc++ parallel mode",
                             .parallel = true,
                             .lib_version = "libstdc++ " SORTLAB_TEXT(_GLIBCXX_RELEASE),
                             .temp_policy = TempPolicy::per_call};

  template <class Job>
  static ResultIn sort(const Job& job) {
    const OpenMpThreads all_of_the_job(job.threads);
    return sort_bits_by_library(
        job, [](auto first, auto last, auto less) { __gnu_parallel::sort(first, last, less); },
        OpenMpChunks{job.threads});
  }
};
SORTLAB_REGISTER(GnuParallelSort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
