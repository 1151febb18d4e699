// std::sort with std::execution::par_unseq: all the threads of the job.
//
// Over std_sort/optimized it adds threads: libstdc++ runs a merge sort of oneTBB tasks (std::sort
// at the leaves, merges split in two by binary search). The expected gain is nearly the number of
// cores while memory bandwidth suffices. It allocates a buffer of n items itself. Without oneTBB,
// libstdc++ would silently sort on one thread, so the rung reports itself as unavailable. Keys
// alone are sorted in place; pairs through packed_items.hpp.
// Gain over optimized: 11.3x (2^24 u32 keys, 16 threads of an Intel Xeon;
// results/h200/cpu.summary.csv).
// Against the sources: libstdc++ on oneTBB; theirs is GCC 13.2 on Windows, its backend is not named.
// Source: Goralija et al., III.B; C++17 [execpol.parunseq]; the standard library over oneTBB.
#include <algorithm>
#include <string>

#include "common/contract/variant.hpp"
#include "cpu/primitives/library/packed_items.hpp"

#if defined(SORTLAB_HAVE_TBB)
  #include <tbb/version.h>

  #include <execution>

  #include "cpu/primitives/library/tbb_threads.hpp"
#endif

namespace sortlab {
namespace {
using namespace cpu::primitives::library;

struct StdSortParallel {
  static constexpr Info info {
    .summary = "std::sort with std::execution::par_unseq, on oneTBB",
    .source = "Goralija et al., III.B; C++ standard library", .after = "cpu/std_sort/optimized",
    .parallel = true,
#if defined(SORTLAB_HAVE_TBB)
    .lib_version = "oneTBB " TBB_VERSION_STRING,
#endif
    .temp_policy = TempPolicy::per_call
  };

#if defined(SORTLAB_HAVE_TBB)
  // Maps the keys of pairs: one instance for each width.
  template <class Job>
  requires Job::kPairs static ResultIn sort_erased(const ErasedJob& job) {
    return sort_bits<StdSortParallel, Job>(job);
  }
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return packed_bytes(request);
  }
  template <class Job>
  static ResultIn sort(const Job& job) {
    with_tbb_threads(job.threads, [&] {
      sort_by_library(
          job,
          [](auto first, auto last, auto less) {
            std::sort(std::execution::par_unseq, first, last, less);
          },
          TbbChunks{});
    });
    return ResultIn::data;
  }
#else
  static std::string unavailable() {
    return "std::execution::par_unseq needs oneTBB in this build: install libtbb-dev";
  }
  template <class Job>
  static ResultIn sort(const Job&) {
    return ResultIn::data;
  }
#endif
};
SORTLAB_REGISTER(StdSortParallel, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
