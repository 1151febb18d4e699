// One call for a user's keys. It uses the fastest rung if the comparison is an order that the suite
// knows, and the merge sort of gpu/merge/multiway/sort.cuh for a user's own comparison.
//
//   struct ByDay { __device__ bool operator()(const Reading& a, const Reading& b) const; };
//   const std::size_t bytes = gpu::auto_sort_bytes<ByDay, Reading>(n);
//   const ResultIn where = gpu::auto_sort<ByDay>(items, alternate, n, d_workspace, stream);
//
// Stable, for keys and values that may be copied byte by byte; items and alternate are Items<Key,
// NoValue> or Items<Key, Value>, and the returned value says which one has the result. For an order
// that the suite knows, the program must link the GPU sorts and list them in its table: in CMake,
// target_link_libraries(<program> sortlab_gpu) and then sortlab_list_variants(<program>).
#pragma once

#include <functional>
#include <span>
#include <type_traits>

#include "gpu/auto/chosen.hpp"
#include "gpu/merge/multiway/sort.cuh"

namespace sortlab::gpu {
namespace auto_detail {

template <class T, class... Ts>
constexpr bool is_one_of(TypeList<Ts...>) {
  return (std::is_same_v<T, Ts> || ...);
}

/// Whether `Less` is an order of the suite, and which one. For floats std::less is not, because it
/// treats -0 and +0 as equal.
template <class Less, class Key>
struct KnownOrder {
  static constexpr bool kAscending =
      std::is_same_v<Less, KeyLess<Key, Order::ascending>> ||
      (std::is_integral_v<Key> &&
       (std::is_same_v<Less, std::less<Key>> || std::is_same_v<Less, std::less<>>));
  static constexpr bool kDescending =
      std::is_same_v<Less, KeyLess<Key, Order::descending>> ||
      (std::is_integral_v<Key> &&
       (std::is_same_v<Less, std::greater<Key>> || std::is_same_v<Less, std::greater<>>));
  static constexpr Order kOrder = kAscending ? Order::ascending : Order::descending;
};

template <class Less, class Key, class Value>
constexpr bool kIsOfTheSuite = is_one_of<Key>(AllKeys{}) && is_one_of<Value>(KeysAndPairs{}) &&
                               (KnownOrder<Less, Key>::kAscending ||
                                KnownOrder<Less, Key>::kDescending);

template <class Less, class Key, class Value>
using Merge = merge::multiway::PlanFor<Less, merge_sort::Ties::keep_order, Key, Value>;

}  // namespace auto_detail

/// The workspace for n items, in bytes, on the current device.
template <class Less, class Key, class Value = NoValue>
std::size_t auto_sort_bytes(std::size_t n) {
  if constexpr (auto_detail::kIsOfTheSuite<Less, Key, Value>) {
    const Params none;
    return Chosen<true>::workspace_bytes({n, sizeof(Key), kValueBytes<Value>, 0, none});
  } else {
    return merge::multiway::workspace_bytes<auto_detail::Merge<Less, Key, Value>>(n);
  }
}

/// Sorts the n items of `data` by `Less`. `d_workspace` is aligned as cudaMalloc aligns.
template <class Less, class Key, class Value>
ResultIn auto_sort(Items<Key, Value> data, Items<Key, Value> alternate, std::size_t n,
                   std::byte* d_workspace, cudaStream_t stream) {
  if constexpr (auto_detail::kIsOfTheSuite<Less, Key, Value>) {
    constexpr Order kOrder = auto_detail::KnownOrder<Less, Key>::kOrder;
    const Params none;
    return Chosen<true>::sort(
        Job<Key, Value, kOrder>{.data = data,
                                .alternate = alternate,
                                .n = n,
                                .workspace = {d_workspace, auto_sort_bytes<Less, Key, Value>(n)},
                                .threads = 0,
                                .isa = {},
                                .stream = stream,
                                .params = none});
  } else {
    return merge::multiway::sort<auto_detail::Merge<Less, Key, Value>>(data, alternate, n,
                                                                       d_workspace, stream);
  }
}

}  // namespace sortlab::gpu
