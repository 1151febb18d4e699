// Segments sorted by cpu/segments/auto as a function with plain arguments, for the suite's variant and for the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/contract/key_map.hpp"
#include "common/contract/segments.hpp"

namespace sortlab::cpu::segments {

/// Segments to be sorted.
struct Call {
  KeyKind kind;
  std::size_t value_bytes = 0;  // of values that move, or of places
  void* keys = nullptr;
  void* values = nullptr;
  /// Where rows are read, if not in `keys`. Only for contiguous rows of keys alone.
  const void* from = nullptr;
  std::size_t n = 0;
  Cut cut = {};
  std::size_t longest = 0;               // no segment is longer
  bool are_numbered = false;             // values are the items' places: 0, 1, 2, ..; the keys stay
  bool nans_last = false;                // behind the numbers in both orders, whatever their sign
  bool are_ranks = false;                // with NaNs last: -0 and +0 are equal, and all NaNs
  std::uint64_t* wide_places = nullptr;  // of numbered items: the places go here, of 8 bytes
  std::span<std::byte> workspace = {};
  int threads = 1;
  Isa isa = Isa::scalar;
};

template <class Job>
Call call_of(const Job& job) {
  return {.kind = kind_of(job),
          .value_bytes = kValueBytes<typename Job::Value>,
          .keys = job.data.keys,
          .values = job.data.values,
          .n = job.n,
          .cut = job.cut,
          .longest = job.longest,
          .workspace = job.workspace,
          .threads = job.threads,
          .isa = job.isa};
}

/// The same with its types.
template <class KeyT, class ValueT, Order kOrderT>
struct TypedCall : Call {
  using Key = KeyT;
  using Value = ValueT;
  static constexpr Order kOrder = kOrderT;
  static constexpr bool kPairs = Items<Key, Value>::kPairs;

  Items<Key, Value> data;

  explicit TypedCall(const Call& call)
      : Call(call), data(items_at<Key, Value>(call.keys, call.values)) {}
};

/// What the sort takes. Neither the cut nor where the items are need be known.
std::size_t workspace_bytes(const Call& call, std::size_t count);
/// Stable; the result is in place.
void sort(const Call& call);

}  // namespace sortlab::cpu::segments
