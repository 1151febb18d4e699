// sortlab's sorts for NVIDIA GPUs: keys, keys with values, indices, and items by an order of your own.
//
//   std::size_t bytes = 0;                                        // as CUB's calls:
//   sortlab::cuda::sort_keys(nullptr, bytes, d_in, d_out, n);     //   1. how much memory
//   cudaMalloc(&d_temp, bytes);
//   sortlab::cuda::sort_keys(d_temp, bytes, d_in, d_out, n, stream);  // 2. sort
//
//   sortlab::cuda::sort_keys(d_keys, n, stream);                  // or in one call, in place
//   sortlab::cuda::sort(d_items, n, [limit] __device__(const Item& a, const Item& b) { ... }, stream);
//
// All pointers are to device memory. A call enqueues its work on the stream and returns; it never
// synchronizes. Calls with `d_temp` allocate nothing and can be captured into CUDA graphs. Any number of
// host threads and devices may call at once; work goes to the stream's device.
//
// Returned errors: cudaErrorInvalidValue for a `temp_bytes` that is too small, and for a null pointer with
// n > 0; cudaErrorMemoryAllocation; and those of the launches. Errors of the kernels come later, from the
// stream, as CUDA's do.
//
// docs/library_cuda.md has all details. Compile with -std=c++20 and --expt-relaxed-constexpr.
#pragma once

#if !defined(__CUDACC__)
  #error "sortlab/cuda.cuh is CUDA C++: name the file .cu, or compile it with -x cu"
#elif __cplusplus < 202002L
  #error "sortlab/cuda.cuh needs C++20: -std=c++20"
#else

  #include <cuda_runtime.h>

  #include <cstddef>
  #include <cstdint>
  #include <sortlab/cuda_options.hpp>
  #include <sortlab/detail/cuda/calls.cuh>
  #include <sortlab/detail/cuda/one_call.hpp>
  #include <type_traits>

namespace sortlab::cuda {

/// Where the calls without `d_temp` get their memory: cudaMallocAsync and cudaFreeAsync on the stream, from
/// the pool of the stream's device. Anything with these two functions will do, RMM's memory resources for instance.
using DeviceMemory = detail::DeviceMemory;

// -- Two calls: memory by the caller --------------------------------------------------------------------
// With d_temp = nullptr a call only sets temp_bytes, for which it needs no GPU. Otherwise temp_bytes says
// how large d_temp is. Any alignment of d_temp will do. d_in and d_out are the same array, or do not overlap.

/// Sorts the n keys of d_in to d_out. Key: an integer of 1 to 8 bytes, an enumeration without an operator<
/// of its own, float, double, __half or __nv_bfloat16.
template <class Key>
cudaError_t sort_keys(void* d_temp, std::size_t& temp_bytes, const std::type_identity_t<Key>* d_in,
                      Key* d_out, std::size_t n, cudaStream_t stream = nullptr,
                      const Options& options = {}) noexcept {
  return detail::keys_call<Key>(options, {d_in, d_out}, n)(d_temp, temp_bytes, stream);
}
template <class Key>
cudaError_t sort_keys(void* d_temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys, std::size_t n,
                      cudaStream_t stream = nullptr, const Options& options = {}) noexcept {
  auto call = detail::keys_call<Key>(options, detail::column(keys), n);
  const cudaError_t status = call(d_temp, temp_bytes, stream);
  return detail::select(status, d_temp, keys, call.keys);
}

/// Sorts n keys, and moves their values with them. Stable. Value: any trivially copyable type; of 4 or 8
/// bytes it travels with the key, of other sizes it is moved once, at the end.
template <class Key, class Value>
cudaError_t sort_pairs(void* d_temp, std::size_t& temp_bytes,
                       const std::type_identity_t<Key>* d_keys_in, Key* d_keys_out,
                       const std::type_identity_t<Value>* d_values_in, Value* d_values_out,
                       std::size_t n, cudaStream_t stream = nullptr,
                       const Options& options = {}) noexcept {
  return detail::pairs_call<Key, Value>(options, {d_keys_in, d_keys_out},
                                        {d_values_in, d_values_out}, n)(d_temp, temp_bytes, stream);
}
template <class Key, class Value>
cudaError_t sort_pairs(void* d_temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys,
                       DoubleBuffer<Value>& values, std::size_t n, cudaStream_t stream = nullptr,
                       const Options& options = {}) noexcept {
  auto call =
      detail::pairs_call<Key, Value>(options, detail::column(keys), detail::column(values), n);
  cudaError_t status = call(d_temp, temp_bytes, stream);
  status = detail::select(status, d_temp, keys, call.keys);
  return detail::select(status, d_temp, values, call.values);
}

/// Sorts keys by a comparison, and moves their values with them. Stable.
template <class Key, class Value, detail::ComparisonArgument Less>
cudaError_t sort_pairs(void* d_temp, std::size_t& temp_bytes,
                       const std::type_identity_t<Key>* d_keys_in, Key* d_keys_out,
                       const std::type_identity_t<Value>* d_values_in, Value* d_values_out,
                       std::size_t n, Less less, cudaStream_t stream = nullptr) noexcept {
  return detail::ordered_pairs_call<Key, Value>(
      less, {d_keys_in, d_keys_out}, {d_values_in, d_values_out}, n)(d_temp, temp_bytes, stream);
}
template <class Key, class Value, detail::ComparisonArgument Less>
cudaError_t sort_pairs(void* d_temp, std::size_t& temp_bytes, DoubleBuffer<Key>& keys,
                       DoubleBuffer<Value>& values, std::size_t n, Less less,
                       cudaStream_t stream = nullptr) noexcept {
  auto call =
      detail::ordered_pairs_call<Key, Value>(less, detail::column(keys), detail::column(values), n);
  cudaError_t status = call(d_temp, temp_bytes, stream);
  status = detail::select(status, d_temp, keys, call.keys);
  return detail::select(status, d_temp, values, call.values);
}

/// d_order[i] becomes the index of the key that comes i-th. Stable. Index: an integer of 4 or 8 bytes.
template <class Key, class Index>
cudaError_t argsort(void* d_temp, std::size_t& temp_bytes, const Key* d_keys, Index* d_order,
                    std::size_t n, cudaStream_t stream = nullptr,
                    const Options& options = {}) noexcept {
  return detail::argsort_call<Key, Index>(options, d_keys, d_order, n)(d_temp, temp_bytes, stream);
}
/// The same by a comparison.
template <class Item, class Index, detail::ComparisonArgument Less>
cudaError_t argsort(void* d_temp, std::size_t& temp_bytes, const Item* d_items, Index* d_order,
                    std::size_t n, Less less, cudaStream_t stream = nullptr) noexcept {
  return detail::ordered_argsort_call<Item, Index>(less, d_items, d_order, n)(d_temp, temp_bytes,
                                                                              stream);
}

/// Sorts n items by a comparison: less(a, b) says on the device whether a comes before b. Item and Less:
/// trivially copyable; Less may hold state. Keys by std::, thrust:: or cuda::std:: less or greater are
/// sorted by their bits; then -0 and +0 may change places, as equal items may. Other sorts are stable.
template <class Item, detail::ComparisonArgument Less>
cudaError_t sort(void* d_temp, std::size_t& temp_bytes, const std::type_identity_t<Item>* d_in,
                 Item* d_out, std::size_t n, Less less, cudaStream_t stream = nullptr) noexcept {
  return detail::items_call<Item, false>(less, {d_in, d_out}, n)(d_temp, temp_bytes, stream);
}
template <class Item, detail::ComparisonArgument Less>
cudaError_t sort(void* d_temp, std::size_t& temp_bytes, DoubleBuffer<Item>& items, std::size_t n,
                 Less less, cudaStream_t stream = nullptr) noexcept {
  auto call = detail::items_call<Item, false>(less, detail::column(items), n);
  const cudaError_t status = call(d_temp, temp_bytes, stream);
  return detail::select(status, d_temp, items, call.keys);
}
/// The same; equal items, -0 and +0 among them, keep their order.
template <class Item, detail::ComparisonArgument Less>
cudaError_t stable_sort(void* d_temp, std::size_t& temp_bytes,
                        const std::type_identity_t<Item>* d_in, Item* d_out, std::size_t n,
                        Less less, cudaStream_t stream = nullptr) noexcept {
  return detail::items_call<Item, true>(less, {d_in, d_out}, n)(d_temp, temp_bytes, stream);
}
template <class Item, detail::ComparisonArgument Less>
cudaError_t stable_sort(void* d_temp, std::size_t& temp_bytes, DoubleBuffer<Item>& items,
                        std::size_t n, Less less, cudaStream_t stream = nullptr) noexcept {
  auto call = detail::items_call<Item, true>(less, detail::column(items), n);
  const cudaError_t status = call(d_temp, temp_bytes, stream);
  return detail::select(status, d_temp, items, call.keys);
}

// -- Many sorts in one call: segments and rows ------------------------------------------------------------
// Segment s is [d_offsets[s], d_offsets[s + 1]) of arrays of n items: segments + 1 numbers of 4 or 8 bytes in
// device memory. Rows have `columns` items each, one row after the other. All are stable. Keys of 4 or 8 bytes,
// values of 4; segments of fewer than 2^32 items. Items of no segment are not written.
// Offsets are read by the GPU alone, so that no call waits. Bad ones (falling, or beyond n) are no error: each
// segment is cut at n, what is in overlapping ones is undefined, and nothing outside of the arrays is touched.
// A graph may be replayed with other keys and other offsets in the same memory. Floats with nans_last: -0 is before
// +0. cudaErrorNotSupported on GPUs with less than 206 KB of shared memory for a block.

/// Sorts the keys of each segment from d_in to d_out, which may be the same.
template <class Key, class Offset>
cudaError_t segmented_sort_keys(void* d_temp, std::size_t& temp_bytes,
                                const std::type_identity_t<Key>* d_in, Key* d_out, std::size_t n,
                                std::size_t segments, const Offset* d_offsets,
                                cudaStream_t stream = nullptr,
                                const Options& options = {}) noexcept {
  return detail::segments_call<Key>(options, d_in, d_out, n,
                                    detail::segments_at(d_offsets, segments))(d_temp, temp_bytes,
                                                                              stream);
}
/// The same, and moves their values with them.
template <class Key, class Value, class Offset>
cudaError_t segmented_sort_pairs(void* d_temp, std::size_t& temp_bytes,
                                 const std::type_identity_t<Key>* d_keys_in, Key* d_keys_out,
                                 const std::type_identity_t<Value>* d_values_in,
                                 Value* d_values_out, std::size_t n, std::size_t segments,
                                 const Offset* d_offsets, cudaStream_t stream = nullptr,
                                 const Options& options = {}) noexcept {
  return detail::segment_pairs_call<Key, Value>(
      options, d_keys_in, d_keys_out, d_values_in, d_values_out, n,
      detail::segments_at(d_offsets, segments))(d_temp, temp_bytes, stream);
}
/// d_order becomes the places in the segment, from 0, in the order of the keys.
template <class Key, class Index, class Offset>
cudaError_t segmented_argsort(void* d_temp, std::size_t& temp_bytes, const Key* d_keys,
                              Index* d_order, std::size_t n, std::size_t segments,
                              const Offset* d_offsets, cudaStream_t stream = nullptr,
                              const Options& options = {}) noexcept {
  return detail::segment_argsort_call<Key, Index>(
      options, d_keys, d_order, n, detail::segments_at(d_offsets, segments))(d_temp, temp_bytes,
                                                                             stream);
}
/// The same calls for rows.
template <class Key>
cudaError_t sort_rows_keys(void* d_temp, std::size_t& temp_bytes,
                           const std::type_identity_t<Key>* d_in, Key* d_out, std::size_t rows,
                           std::size_t columns, cudaStream_t stream = nullptr,
                           const Options& options = {}) noexcept {
  return detail::segments_call<Key>(options, d_in, d_out, rows * columns,
                                    detail::rows_of(rows, columns))(d_temp, temp_bytes, stream);
}
template <class Key, class Value>
cudaError_t sort_rows_pairs(void* d_temp, std::size_t& temp_bytes,
                            const std::type_identity_t<Key>* d_keys_in, Key* d_keys_out,
                            const std::type_identity_t<Value>* d_values_in, Value* d_values_out,
                            std::size_t rows, std::size_t columns, cudaStream_t stream = nullptr,
                            const Options& options = {}) noexcept {
  return detail::segment_pairs_call<Key, Value>(
      options, d_keys_in, d_keys_out, d_values_in, d_values_out, rows * columns,
      detail::rows_of(rows, columns))(d_temp, temp_bytes, stream);
}
/// d_order becomes the places in the row, from 0, in the order of the keys.
template <class Key, class Index>
cudaError_t argsort_rows(void* d_temp, std::size_t& temp_bytes, const Key* d_keys, Index* d_order,
                         std::size_t rows, std::size_t columns, cudaStream_t stream = nullptr,
                         const Options& options = {}) noexcept {
  return detail::segment_argsort_call<Key, Index>(
      options, d_keys, d_order, rows * columns, detail::rows_of(rows, columns))(d_temp, temp_bytes,
                                                                                stream);
}

// -- The best k -----------------------------------------------------------------------------------------------
// The k keys that come first in the order of the options, and their places, from 0: of an array, or of each row. With
// k of n or more these are all. d_best and d_places have min(k, n) items, or min(k, columns) for each row; one of them may
// be null. Places: integers of 4 or 8 bytes. Keys are those of sort_keys(); those of 1 or 2 bytes are widened first. An
// array, or a row, has fewer than 2^32 - 1 keys. Where a row's own k (options.d_k) is less than k, what is behind its best
// is undefined. A graph may be replayed with other keys and other d_k in the same memory. cudaErrorNotSupported on GPUs
// with less than 206 KB of shared memory for a block.

/// Of n keys.
template <class Key, class Places>
cudaError_t top_k(void* d_temp, std::size_t& temp_bytes, const Key* d_keys,
                  std::type_identity_t<Key>* d_best, Places d_places, std::size_t n, std::size_t k,
                  cudaStream_t stream = nullptr, const TopKOptions& options = {}) noexcept {
  return detail::top_k_call<Key>(options, d_keys, d_best, d_places, 1, n, k)(d_temp, temp_bytes,
                                                                             stream);
}
/// Of each row.
template <class Key, class Places>
cudaError_t top_k_rows(void* d_temp, std::size_t& temp_bytes, const Key* d_keys,
                       std::type_identity_t<Key>* d_best, Places d_places, std::size_t rows,
                       std::size_t columns, std::size_t k, cudaStream_t stream = nullptr,
                       const TopKOptions& options = {}) noexcept {
  return detail::top_k_call<Key>(options, d_keys, d_best, d_places, rows, columns, k)(
      d_temp, temp_bytes, stream);
}

// Top-p: of each row the fewest best weights that sum to p, at most k. d_counts gets how many these are. d_best, which is
// needed, and d_places, which may be null, get the best k as top_k_rows() writes them, the largest first and at ties those in
// the first places: what is behind the count are the next best. Where the k best do not reach p, the count is k, or the
// row's own. Weights are of float or double; those that are not above 0, NaNs too, add nothing, and NaNs are last. Sums are
// of doubles and do not differ from call to call. A graph may be replayed with other weights, d_p and d_k.

template <class Weight, class Places>
cudaError_t top_p_rows(void* d_temp, std::size_t& temp_bytes, const Weight* d_weights,
                       std::type_identity_t<Weight>* d_best, Places d_places,
                       std::uint32_t* d_counts, std::size_t rows, std::size_t columns,
                       std::size_t k, cudaStream_t stream = nullptr,
                       const TopPOptions& options = {}) noexcept {
  return detail::top_p_call<Weight>(options, d_weights, d_best, d_places, d_counts, rows, columns,
                                    k)(d_temp, temp_bytes, stream);
}

// -- One call: memory by `memory`, which is asked for it on the stream and gets it back -------------------

/// Sorts n keys, in place or from d_in to d_out.
template <class Key, detail::Memory M = DeviceMemory>
cudaError_t sort_keys(Key* d_keys, std::size_t n, cudaStream_t stream = nullptr,
                      const Options& options = {}, M&& memory = {}) noexcept {
  return detail::in_one_call(detail::keys_call<Key>(options, {d_keys, d_keys}, n), stream, memory);
}
template <class Key, detail::Memory M = DeviceMemory>
cudaError_t sort_keys(const std::type_identity_t<Key>* d_in, Key* d_out, std::size_t n,
                      cudaStream_t stream = nullptr, const Options& options = {},
                      M&& memory = {}) noexcept {
  return detail::in_one_call(detail::keys_call<Key>(options, {d_in, d_out}, n), stream, memory);
}

/// Sorts n keys, and moves their values with them; in place or from *_in to *_out. Stable.
template <class Key, class Value, detail::Memory M = DeviceMemory>
cudaError_t sort_pairs(Key* d_keys, Value* d_values, std::size_t n, cudaStream_t stream = nullptr,
                       const Options& options = {}, M&& memory = {}) noexcept {
  return detail::in_one_call(
      detail::pairs_call<Key, Value>(options, {d_keys, d_keys}, {d_values, d_values}, n), stream,
      memory);
}
template <class Key, class Value, detail::Memory M = DeviceMemory>
cudaError_t sort_pairs(const std::type_identity_t<Key>* d_keys_in, Key* d_keys_out,
                       const std::type_identity_t<Value>* d_values_in, Value* d_values_out,
                       std::size_t n, cudaStream_t stream = nullptr, const Options& options = {},
                       M&& memory = {}) noexcept {
  return detail::in_one_call(detail::pairs_call<Key, Value>(options, {d_keys_in, d_keys_out},
                                                            {d_values_in, d_values_out}, n),
                             stream, memory);
}
template <class Key, class Value, detail::ComparisonArgument Less, detail::Memory M = DeviceMemory>
cudaError_t sort_pairs(Key* d_keys, Value* d_values, std::size_t n, Less less,
                       cudaStream_t stream = nullptr, M&& memory = {}) noexcept {
  return detail::in_one_call(
      detail::ordered_pairs_call<Key, Value>(less, {d_keys, d_keys}, {d_values, d_values}, n),
      stream, memory);
}

/// d_order[i] becomes the index of the key that comes i-th. Stable.
template <class Key, class Index, detail::Memory M = DeviceMemory>
cudaError_t argsort(const Key* d_keys, Index* d_order, std::size_t n, cudaStream_t stream = nullptr,
                    const Options& options = {}, M&& memory = {}) noexcept {
  return detail::in_one_call(detail::argsort_call<Key, Index>(options, d_keys, d_order, n), stream,
                             memory);
}
template <class Item, class Index, detail::ComparisonArgument Less, detail::Memory M = DeviceMemory>
cudaError_t argsort(const Item* d_items, Index* d_order, std::size_t n, Less less,
                    cudaStream_t stream = nullptr, M&& memory = {}) noexcept {
  return detail::in_one_call(detail::ordered_argsort_call<Item, Index>(less, d_items, d_order, n),
                             stream, memory);
}

/// Sorts n items by a comparison, in place or from d_in to d_out.
template <class Item, detail::ComparisonArgument Less, detail::Memory M = DeviceMemory>
cudaError_t sort(Item* d_items, std::size_t n, Less less, cudaStream_t stream = nullptr,
                 M&& memory = {}) noexcept {
  return detail::in_one_call(detail::items_call<Item, false>(less, {d_items, d_items}, n), stream,
                             memory);
}
template <class Item, detail::ComparisonArgument Less, detail::Memory M = DeviceMemory>
cudaError_t sort(const std::type_identity_t<Item>* d_in, Item* d_out, std::size_t n, Less less,
                 cudaStream_t stream = nullptr, M&& memory = {}) noexcept {
  return detail::in_one_call(detail::items_call<Item, false>(less, {d_in, d_out}, n), stream,
                             memory);
}
template <class Item, detail::ComparisonArgument Less, detail::Memory M = DeviceMemory>
cudaError_t stable_sort(Item* d_items, std::size_t n, Less less, cudaStream_t stream = nullptr,
                        M&& memory = {}) noexcept {
  return detail::in_one_call(detail::items_call<Item, true>(less, {d_items, d_items}, n), stream,
                             memory);
}
template <class Item, detail::ComparisonArgument Less, detail::Memory M = DeviceMemory>
cudaError_t stable_sort(const std::type_identity_t<Item>* d_in, Item* d_out, std::size_t n,
                        Less less, cudaStream_t stream = nullptr, M&& memory = {}) noexcept {
  return detail::in_one_call(detail::items_call<Item, true>(less, {d_in, d_out}, n), stream,
                             memory);
}

/// Segments, in place; segmented_argsort from d_keys to d_order.
template <class Key, class Offset, detail::Memory M = DeviceMemory>
cudaError_t segmented_sort_keys(Key* d_keys, std::size_t n, std::size_t segments,
                                const Offset* d_offsets, cudaStream_t stream = nullptr,
                                const Options& options = {}, M&& memory = {}) noexcept {
  return detail::in_one_call(detail::segments_call<Key>(options, d_keys, d_keys, n,
                                                        detail::segments_at(d_offsets, segments)),
                             stream, memory);
}
template <class Key, class Value, class Offset, detail::Memory M = DeviceMemory>
cudaError_t segmented_sort_pairs(Key* d_keys, Value* d_values, std::size_t n, std::size_t segments,
                                 const Offset* d_offsets, cudaStream_t stream = nullptr,
                                 const Options& options = {}, M&& memory = {}) noexcept {
  return detail::in_one_call(
      detail::segment_pairs_call<Key, Value>(options, d_keys, d_keys, d_values, d_values, n,
                                             detail::segments_at(d_offsets, segments)),
      stream, memory);
}
template <class Key, class Index, class Offset, detail::Memory M = DeviceMemory>
cudaError_t segmented_argsort(const Key* d_keys, Index* d_order, std::size_t n,
                              std::size_t segments, const Offset* d_offsets,
                              cudaStream_t stream = nullptr, const Options& options = {},
                              M&& memory = {}) noexcept {
  return detail::in_one_call(
      detail::segment_argsort_call<Key, Index>(options, d_keys, d_order, n,
                                               detail::segments_at(d_offsets, segments)),
      stream, memory);
}

/// The best k.
template <class Key, class Places, detail::Memory M = DeviceMemory>
cudaError_t top_k(const Key* d_keys, std::type_identity_t<Key>* d_best, Places d_places,
                  std::size_t n, std::size_t k, cudaStream_t stream = nullptr,
                  const TopKOptions& options = {}, M&& memory = {}) noexcept {
  return detail::in_one_call(detail::top_k_call<Key>(options, d_keys, d_best, d_places, 1, n, k),
                             stream, memory);
}
template <class Key, class Places, detail::Memory M = DeviceMemory>
cudaError_t top_k_rows(const Key* d_keys, std::type_identity_t<Key>* d_best, Places d_places,
                       std::size_t rows, std::size_t columns, std::size_t k,
                       cudaStream_t stream = nullptr, const TopKOptions& options = {},
                       M&& memory = {}) noexcept {
  return detail::in_one_call(
      detail::top_k_call<Key>(options, d_keys, d_best, d_places, rows, columns, k), stream, memory);
}
template <class Weight, class Places, detail::Memory M = DeviceMemory>
cudaError_t top_p_rows(const Weight* d_weights, std::type_identity_t<Weight>* d_best,
                       Places d_places, std::uint32_t* d_counts, std::size_t rows,
                       std::size_t columns, std::size_t k, cudaStream_t stream = nullptr,
                       const TopPOptions& options = {}, M&& memory = {}) noexcept {
  return detail::in_one_call(
      detail::top_p_call<Weight>(options, d_weights, d_best, d_places, d_counts, rows, columns, k),
      stream, memory);
}

}  // namespace sortlab::cuda

#endif  // CUDA C++20
