// Baseline: VQSort of Highway, a quicksort whose partitions and small sorts are vector code, in the
// best instruction set of the CPU (the library chooses; `isa` names its target).
//
// Integer keys alone are sorted in place as they are, both orders. Floats become their ordered
// bits, in place and timed (ordered_bits_in_place.hpp), since VQSort's floats are not in
// totalOrder. Pairs are packed (packed_items.hpp) as numbers of twice the width, the value as the low
// half: uint64_t, and for 64-bit keys uint128_t with the value, widened. (The library's own pairs lose
// values in 1.0.3: K64V64 beside the largest key, as its padding compares equal to them, and K32V32 with
// AVX2 where keys repeat.) One thread; not stable.
// Source: Blacher, Giesen, Wassenberg et al., "Vectorized and performance-portable Quicksort",
// 2022.
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/highway.h>

#include <string>
#include <type_traits>

#include "common/contract/variant.hpp"
#include "cpu/baselines/ordered_bits_in_place.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab {
namespace {
using namespace cpu::baselines;
using namespace cpu::primitives::library;

struct Vqsort {
  static constexpr Info info{.summary = "hwy::Sorter (VQSort)",
                             .source = "Highway",
                             .in_place = true,
                             .lib_version = "Highway " SORTLAB_TEXT(HWY_MAJOR) "." SORTLAB_TEXT(
                                 HWY_MINOR) "." SORTLAB_TEXT(HWY_PATCH),
                             .temp_policy = TempPolicy::per_call};

  static std::string isa_name() {
    return hwy::TargetName(hwy::SupportedAndGeneratedTargets().front());
  }
  // Maps pairs and floats: one instance for each width.
  template <class Job>
  requires(Job::kPairs || std::is_floating_point_v<typename Job::Key>) static ResultIn
      sort_erased(const ErasedJob& job) {
    return sort_bits<Vqsort, Job>(job);
  }
  static std::size_t workspace_bytes(const WorkspaceRequest& request) {
    if (request.value_bytes == 0) return 0;
    return request.n * 2 * request.key_bytes;
  }
  template <class Job>
  static ResultIn sort(const Job& job) {
    using Key = typename Job::Key;
    const hwy::Sorter sorter;
    const auto sort_up = [&](auto* first, auto* last) {
      sorter(first, static_cast<std::size_t>(last - first), hwy::SortAscending{});
    };
    if constexpr (Job::kPairs && sizeof(Key) == 4) {
      // K32V32 names the two halves of uint64_t.
      sort_packed<hwy::K32V32>(job, [&](hwy::K32V32* first, hwy::K32V32* last) {
        sort_up(reinterpret_cast<std::uint64_t*>(first), reinterpret_cast<std::uint64_t*>(last));
      });
    } else if constexpr (Job::kPairs) {
      // K64V64 names the two halves of uint128_t.
      sort_packed<hwy::K64V64>(job, [&](hwy::K64V64* first, hwy::K64V64* last) {
        sort_up(reinterpret_cast<hwy::uint128_t*>(first), reinterpret_cast<hwy::uint128_t*>(last));
      });
    } else if constexpr (requires { job.map; }) {
      sort_ordered_bits_in_place(job, sort_up);
    } else if constexpr (Job::kOrder == Order::ascending) {
      sort_up(job.data.keys, job.data.keys + job.n);
    } else {
      sorter(job.data.keys, job.n, hwy::SortDescending{});
    }
    return ResultIn::data;
  }
};
SORTLAB_REGISTER(Vqsort, AllKeys, KeysAndPairs);

}  // namespace
}  // namespace sortlab
