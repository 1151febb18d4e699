// std::sort with std::execution::unseq: one thread, but the library may interleave and vectorise
// the comparisons and moves.
//
// Over std_sort/naive it adds only the policy. libstdc++ does not use the permission for sort (its
// unsequenced sort is its sequential one), so no gain is expected there; the rung shows this. Keys
// alone are sorted in place; pairs through packed_items.hpp.
// Gain over naive: 1.01x (2^24 u32 keys, 1 thread of an Intel Xeon; results/h200/cpu.summary.csv).
// Against the sources: they name neither the policy nor another change of this column; their 1.02x
// and ours agree that it gains nothing.
// Source: Goralija et al., Table I; C++17 [execpol.unseq] (C++20 added the policy); the standard library.

// For the parallel policies, libstdc++ would include oneTBB if its headers are installed. This file
// does not use these policies.
#define _GLIBCXX_USE_TBB_PAR_BACKEND 0
#include <algorithm>
#include <execution>

#include "common/contract/variant.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab {
namespace {
using namespace cpu::primitives::library;

struct StdSortUnsequenced {
  static constexpr Info info{.summary = "std::sort with std::execution::unseq",
                             .source = "Goralija et al., Table I; C++ standard library",
                             .after = "cpu/std_sort/naive",
                             .in_place = true};

  // Maps the keys of pairs: one instance for each width.
  template <class Job>
  requires Job::kPairs static ResultIn sort_erased(const ErasedJob& job) {
    return sort_bits<StdSortUnsequenced, Job>(job);
  }
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    return packed_bytes(request);
  }
  template <class Job>
  static ResultIn sort(const Job& job) {
    return sort_by_library(job, [](auto first, auto last, auto less) {
      std::sort(std::execution::unseq, first, last, less);
    });
  }
};
SORTLAB_REGISTER(StdSortUnsequenced, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
