// Quickselect on vectors: two pivots from a sample lie so close to the wanted place that few keys are left between them.
//
// Over floyd_rivest: partitions in place that store whole vectors, without a branch on a key (cpu/primitives/simd), and a
// sample that is sorted in registers. Items of 4-byte keys and values are selected as numbers of 8 bytes; others by
// floyd_rivest. After at most 40 rounds what is left is sorted, so no input takes more than O(n log n).
//
//   | at most the lower pivot | between, .. k .. | above the upper pivot |
//
// Memory traffic: one read and write of the keys, and of those up to the upper pivot a second one.
// Any k. Extra memory: none for keys alone, 8 bytes for each pair of 4 and 4 bytes.
// Source: Floyd and Rivest, "Expected time bounds for selection", 1975 (two pivots from a sample); Blacher et al.,
// "Vectorized and performance-portable quicksort", 2022 (partition).
#include "cpu/partial/simd/calls.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "common/contract/top_k.hpp"
#include "cpu/partial/select.hpp"
#include "cpu/primitives/simd/kernels.hpp"

#define SORTLAB_KERNELS "cpu/partial/simd/kernels.inl.hpp"
#define SORTLAB_KERNELS_NAMESPACE sortlab::cpu::partial
#include "cpu/primitives/simd/for_each_isa.inl.hpp"

namespace sortlab::cpu::partial {

template <class Int, bool kFloat>
Calls<Int> calls(Isa isa) {
  return calls_for<Int, kFloat>(isa);
}
template Calls<std::int32_t> calls<std::int32_t, false>(Isa);
template Calls<std::int32_t> calls<std::int32_t, true>(Isa);
template Calls<std::int64_t> calls<std::int64_t, false>(Isa);
template Calls<std::int64_t> calls<std::int64_t, true>(Isa);

}  // namespace sortlab::cpu::partial

namespace sortlab {
namespace {

struct PartialSimd {
  using JobKind = Partial;
  static constexpr Info info{.summary = "quickselect on vectors, two pivots from a sample",
                             .source = "Floyd and Rivest 1975; Blacher et al. 2022",
                             .after = "cpu/partial/floyd_rivest",
                             .isas = kEveryIsa};

  static std::size_t workspace_bytes(const PartialRequest& request) {
    return cpu::partial::select_workspace_bytes(request.array);
  }

  template <class Job>
  static ResultIn sort(const Job& job) {
    cpu::partial::select_best<Job::kOrder>(job.data, job.n, job.k, job.is_sorted, job.workspace,
                                           job.isa);
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(PartialSimd, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
