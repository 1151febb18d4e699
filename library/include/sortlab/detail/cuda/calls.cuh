// What each call of sortlab/cuda.cuh does: a radix sort of bits, or a merge sort by a comparison.
#pragma once

#include <sortlab/cuda_options.hpp>
#include <sortlab/detail/cuda/item_sort.cuh>
#include <sortlab/detail/cuda/key_types.hpp>
#include <sortlab/detail/cuda/radix_sort.hpp>
#include <sortlab/detail/cuda/segment_sort.hpp>
#include <sortlab/detail/cuda/top_k.hpp>
#include <type_traits>
#include <utility>

namespace sortlab::cuda::detail {

template <class T>
Column column(const DoubleBuffer<T>& buffer) {
  return {buffer.current, buffer.alternate, true};
}

/// Makes the array with the result the current one, if a sort has been enqueued.
template <class T>
cudaError_t select(cudaError_t status, const void* d_temp, DoubleBuffer<T>& buffer,
                   const Column& column) {
  if (status == cudaSuccess && d_temp != nullptr && !column.result_is_in_in) {
    std::swap(buffer.current, buffer.alternate);
  }
  return status;
}

template <class Key>
constexpr void check_key() {
  static_assert(kIsKey<Key>,
                "sortlab::cuda: a key is an integer of 1 to 8 bytes, an enumeration without an "
                "operator< of its own, float, double, __half or __nv_bfloat16; for other types "
                "pass a comparison");
}
template <class Value>
constexpr void check_value() {
  static_assert(std::is_trivially_copyable_v<Value>,
                "sortlab::cuda: a value must be trivially copyable");
}
template <class Index>
constexpr void check_index() {
  static_assert(std::is_integral_v<Index> && (sizeof(Index) == 4 || sizeof(Index) == 8),
                "sortlab::cuda: an index is an integer of 4 or 8 bytes");
}
template <class Item, class Less>
constexpr void check_comparison() {
  static_assert(std::is_trivially_copyable_v<Item>,
                "sortlab::cuda: an item must be trivially copyable");
  static_assert(
      std::is_class_v<Less>,
      "sortlab::cuda: a comparison is an object with a __device__ operator(); a pointer to a host "
      "function can't be called on the GPU");
  static_assert(
      kIsDeviceLambda<Less> || std::is_trivially_copyable_v<Less>,
      "sortlab::cuda: a comparison must be trivially copyable, as it is copied to the GPU");
  static_assert(
      kIsDeviceLambda<Less> || std::is_invocable_r_v<bool, const Less&, const Item&, const Item&>,
      "sortlab::cuda: the comparison can't be called as less(a, b) with two const items; is its "
      "operator() const?");
}

template <class Key>
RadixSort radix_call(Order order, FloatOrder floats, const Column& keys, std::size_t n) {
  check_key<Key>();
  return {.kind = kind_of<Key>(),
          .key_bytes = sizeof(Key),
          .order = order,
          .floats = floats,
          .n = n,
          .keys = keys};
}
inline FloatOrder float_order(const Options& options) {
  return options.floats == Floats::nans_last ? FloatOrder::nans_last : FloatOrder::total;
}

template <class Key>
RadixSort keys_call(const Options& options, const Column& keys, std::size_t n) {
  return radix_call<Key>(options.order, float_order(options), keys, n);
}
template <class Key, class Value>
RadixSort pairs_call(const Options& options, const Column& keys, const Column& values,
                     std::size_t n) {
  check_value<Value>();
  RadixSort call = keys_call<Key>(options, keys, n);
  call.value_bytes = sizeof(Value);
  call.values = values;
  return call;
}
template <class Key, class Index>
RadixSort argsort_call(const Options& options, const Key* d_keys, Index* d_order, std::size_t n) {
  check_index<Index>();
  RadixSort call = keys_call<Key>(options, {d_keys, nullptr}, n);
  call.index_bytes = sizeof(Index);
  call.values.out = d_order;
  return call;
}

template <class Offset>
Segments segments_at(const Offset* d_offsets, std::size_t count) {
  static_assert(std::is_integral_v<Offset> && (sizeof(Offset) == 4 || sizeof(Offset) == 8),
                "sortlab::cuda: an offset is an integer of 4 or 8 bytes");
  return {count, d_offsets, sizeof(Offset)};
}
inline Segments rows_of(std::size_t rows, std::size_t columns) {
  return {rows, nullptr, 0, columns};
}
template <class Key>
SegmentSort segments_call(const Options& options, const Key* d_in, Key* d_out, std::size_t n,
                          const Segments& segments) {
  check_key<Key>();
  static_assert(sizeof(Key) >= 4, "sortlab::cuda: segments and rows have keys of 4 or 8 bytes");
  return {.kind = kind_of<Key>(),
          .key_bytes = sizeof(Key),
          .order = options.order,
          .nans_last = options.floats == Floats::nans_last,
          .n = n,
          .segments = segments,
          .keys_in = d_in,
          .keys_out = d_out};
}
template <class Key, class Value>
SegmentSort segment_pairs_call(const Options& options, const Key* d_in, Key* d_out,
                               const Value* d_values_in, Value* d_values_out, std::size_t n,
                               const Segments& segments) {
  check_value<Value>();
  static_assert(sizeof(Value) == 4, "sortlab::cuda: segments and rows have values of 4 bytes");
  SegmentSort call = segments_call<Key>(options, d_in, d_out, n, segments);
  call.values_in = d_values_in;
  call.values_out = d_values_out;
  return call;
}
template <class Key, class Index>
SegmentSort segment_argsort_call(const Options& options, const Key* d_keys, Index* d_order,
                                 std::size_t n, const Segments& segments) {
  check_index<Index>();
  SegmentSort call = segments_call<Key>(options, d_keys, nullptr, n, segments);
  call.values_out = d_order;
  call.index_bytes = sizeof(Index);
  return call;
}

/// An array of indices, or null.
template <class Places>
constexpr void check_places() {
  if constexpr (!std::is_null_pointer_v<Places>) check_index<std::remove_pointer_t<Places>>();
}
template <class Key, class Places>
TopK top_k_call(const TopKOptions& options, const Key* d_keys, Key* d_best, Places d_places,
                std::size_t rows, std::size_t columns, std::size_t k) {
  check_key<Key>();
  check_places<Places>();
  TopK call{.kind = kind_of<Key>(),
            .key_bytes = sizeof(Key),
            .order = options.order,
            .nans_last = options.floats == Floats::nans_last,
            .nans_first = options.nans_first,
            .is_sorted = options.sorted,
            .is_first = options.first,
            .rows = rows,
            .columns = columns,
            .stride = options.stride == 0 ? columns : options.stride,
            .k = k,
            .d_ks = options.d_k,
            .d_keys = d_keys,
            .d_best = d_best};
  if constexpr (!std::is_null_pointer_v<Places>) {
    call.d_places = d_places;
    call.place_bytes = sizeof *d_places;
  }
  return call;
}

template <class Weight, class Places>
TopK top_p_call(const TopPOptions& options, const Weight* d_weights, Weight* d_best,
                Places d_places, std::uint32_t* d_counts, std::size_t rows, std::size_t columns,
                std::size_t k) {
  static_assert(std::is_same_v<Weight, float> || std::is_same_v<Weight, double>,
                "sortlab::cuda: weights are of float or double");
  TopK call = top_k_call<Weight>({.order = Order::descending,
                                  .floats = Floats::nans_last,
                                  .first = true,
                                  .d_k = options.d_k,
                                  .stride = options.stride},
                                 d_weights, d_best, d_places, rows, columns, k);
  call.is_top_p = true;
  call.d_counts = d_counts;
  call.p = options.p;
  call.d_ps = options.d_p;
  return call;
}

/// Equal zeros are the only equal keys that can be distinguished.
template <class Less, class Key>
RadixSort known_order_call(const Column& keys, std::size_t n, bool stable) {
  return radix_call<Key>(kOrderOf<Less, Key>, stable ? FloatOrder::equal_zeros : FloatOrder::total,
                         keys, n);
}

template <class Item, bool kStable, class Less>
auto items_call(const Less& less, const Column& items, std::size_t n) {
  if constexpr (kIsKnownOrder<Less, Item>) {
    return known_order_call<Less, Item>(items, n, kStable);
  } else {
    check_comparison<Item, Less>();
    return ItemSort<Item, Less, Beside::nothing>{.less = less, .n = n, .keys = items};
  }
}
template <class Key, class Value, class Less>
auto ordered_pairs_call(const Less& less, const Column& keys, const Column& values, std::size_t n) {
  check_value<Value>();
  if constexpr (kIsKnownOrder<Less, Key>) {
    RadixSort call = known_order_call<Less, Key>(keys, n, true);
    call.value_bytes = sizeof(Value);
    call.values = values;
    return call;
  } else {
    check_comparison<Key, Less>();
    return ItemSort<Key, Less, Beside::values>{
        .less = less, .n = n, .keys = keys, .value_bytes = sizeof(Value), .values = values};
  }
}
template <class Item, class Index, class Less>
auto ordered_argsort_call(const Less& less, const Item* d_items, Index* d_order, std::size_t n) {
  check_index<Index>();
  if constexpr (kIsKnownOrder<Less, Item>) {
    RadixSort call = known_order_call<Less, Item>({d_items, nullptr}, n, true);
    call.index_bytes = sizeof(Index);
    call.values.out = d_order;
    return call;
  } else {
    check_comparison<Item, Less>();
    return ItemSort<Item, Less, Beside::indices>{.less = less,
                                                 .n = n,
                                                 .keys = {d_items, nullptr},
                                                 .value_bytes = sizeof(Index),
                                                 .values = {nullptr, d_order}};
  }
}

}  // namespace sortlab::cuda::detail
