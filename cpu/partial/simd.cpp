// Quickselect on vectors: two pivots from a sample lie so close to the wanted place that few keys are left between them.
//
// Over floyd_rivest: partitions in place that store whole vectors, without a branch on a key (cpu/primitives/simd), and a
// sample that is sorted in registers. Items of 4-byte keys and values are selected as numbers of 8 bytes; others by
// floyd_rivest. After at most 40 rounds what is left is sorted, so no input takes more than O(n log n).
//
// The first pivot leaves k on the side of fewer keys, most often. Then it is known how many keys lie between it and k, so
// the second one is chosen close to k:
//
//   | at most the second pivot | between, .. k .. | at most the first pivot | above |
//
// A key that many others equal is the only pivot: a partition on each side of it. Keys that are all alike are only compared;
// those of two kinds are counted and written, if a cache holds them, else partitioned.
//
// Where few keys come before the place, the least keys of groups bound them, and the keys up to the bound change places with
// the first ones.
//
// Memory traffic: one read and write of the keys, and a second one of those on k's side of the first pivot. For few: one read.
// Any k. Extra memory: none for keys alone, 8 bytes for each pair of 4 and 4 bytes.
// Gain over floyd_rivest: 3.3x (best 5000 of 1M uniform u32; results/h200/top_k.summary.csv.xz).
// Source: Floyd and Rivest, "Expected time bounds for selection", 1975 (two pivots from a sample); Blacher et al.,
// "Vectorized and performance-portable quicksort", 2022 (partition).
#include "cpu/partial/simd/calls.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "common/contract/top_k.hpp"
#include "cpu/partial/floyd_rivest.hpp"
#include "cpu/primitives/simd/keys.hpp"
#include "cpu/primitives/simple_sorts.hpp"

namespace sortlab::cpu::partial {
namespace {

constexpr bool is_packed(std::size_t key_bytes, std::size_t value_bytes) {
  return key_bytes == 4 && value_bytes == 4;
}

std::size_t select_workspace_bytes(const WorkspaceRequest& array) {
  return is_packed(array.key_bytes, array.value_bytes) ? array.n * sizeof(std::int64_t) : 0;
}

/// Brings the best k of n items to the front: sorted, or with the item of place k in its place. Not stable.
/// `workspace`: as select_workspace_bytes() says.
template <Order kOrder, class Key, class Value>
void select_best(const Items<Key, Value>& items, std::size_t n, std::size_t k, bool is_sorted,
                 std::span<std::byte> workspace, Isa isa) {
  using Signed = primitives::simd::SignedKeys<Job<Key, Value, kOrder>>;
  using Int = typename Signed::Int;
  if (n == 0) return;
  const std::size_t place = std::min(k, n - 1);
  if constexpr (!Items<Key, Value>::kPairs) {
    const Calls<Int> call = calls<Int, Signed::kFloat>(isa);
    Int* const keys = Signed::of(items.keys);
    if (k < n) call.select(keys, n, place, Signed::kFlip);
    if (is_sorted) call.sort(keys, k, Signed::kFlip);
  } else if constexpr (is_packed(sizeof(Key), sizeof(Value))) {
    const Calls<std::int64_t> call = calls<std::int64_t, false>(isa);
    const Form<std::int32_t> form{.flip = Signed::kFlip};
    auto* const both = reinterpret_cast<std::int64_t*>(workspace.data());
    for (std::size_t i = 0; i < n; ++i) {
      const auto rank =
          rank_of<std::int32_t, Signed::kFloat>(std::bit_cast<std::int32_t>(items.keys[i]), form);
      both[i] = candidate_of<std::int32_t, true>(rank, items.values[i]);
    }
    if (k < n) call.select_coded(both, n, place);
    if (is_sorted) call.sort_coded(both, k);
    for (std::size_t i = 0; i < n; ++i) {
      const auto rank = static_cast<std::int32_t>(both[i] >> 32) ^ Signed::kFlip;
      const auto bits = Signed::kFloat ? rank ^ (rank >> 31 & 0x7FFFFFFF) : rank;
      items.keys[i] = std::bit_cast<Key>(bits);
      items.values[i] = std::bit_cast<Value>(static_cast<std::uint32_t>(both[i]));
    }
  } else {
    const KeyLess<Key, kOrder> less;
    if (k < n) {
      floyd_rivest(items, 0, static_cast<std::ptrdiff_t>(n), static_cast<std::ptrdiff_t>(place),
                   less);
    }
    if (is_sorted) primitives::heap_sort(items, 0, k, less);
  }
}

}  // namespace
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
