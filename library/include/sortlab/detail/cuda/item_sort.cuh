// Sorts items by a comparison of the user's: the merge sort of gpu/merge/multiway, on the items themselves
// or, where these are large, on their indices.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <sortlab/detail/cuda/radix_sort.hpp>
#include <sortlab/detail/cuda/temp_layout.hpp>
#include <type_traits>

#include "gpu/merge/multiway/sort.cuh"

namespace sortlab::cuda::detail {

/// Items up to this many bytes are moved by each pass of the merge sort. Of larger ones a tile in shared
/// memory would hold too few: their indices are sorted, and they are moved once.
/// measured: structs of 40 bytes, us, 10007 and 2^24: 33 and 4662 (moved) vs 44 and 30069 (indices);
/// results/h200/attempts/users_types_shapes.txt
constexpr std::size_t kMostItemBytes = 160;

/// The bytes of an item in the widest words of its alignment. A member of 36 bytes would be copied byte by
/// byte.
/// measured: a float and 36 unsigned char, or 9 unsigned, 2^24, ms: 74 vs 7.2;
/// results/h200/attempts/users_types.1.txt, users_types_shapes.txt
template <class Item>
struct alignas(Item) Words {
  using Word =
      std::conditional_t<alignof(Item) % 4 == 0, std::uint32_t,
                         std::conditional_t<alignof(Item) % 2 == 0, std::uint16_t, std::uint8_t>>;
  Word words[sizeof(Item) / sizeof(Word)];
};

/// Compares items that lie there as words.
template <class Item, class Less>
struct ByWords {
  Less less;

  __device__ __forceinline__ bool operator()(const Words<Item>& a, const Words<Item>& b) const {
    return less(std::bit_cast<Item>(a), std::bit_cast<Item>(b));
  }
};

/// Indices of items have 4 bytes here.
constexpr std::size_t kMostIndexed = std::numeric_limits<std::uint32_t>::max();

/// Compares items by their indices.
template <class Item, class Less>
struct ByIndex {
  const Item* d_items;
  Less less;

  __device__ __forceinline__ bool operator()(std::uint32_t a, std::uint32_t b) const {
    return less(d_items[a], d_items[b]);
  }
};

/// Lambdas for the device. Of these the host knows a stand-in, which can't be called and has other traits.
#ifdef __CUDACC_EXTENDED_LAMBDA__
template <class Less>
constexpr bool kIsDeviceLambda = __nv_is_extended_device_lambda_closure_type(Less) ||
                                 __nv_is_extended_host_device_lambda_closure_type(Less);
#else
template <class Less>
constexpr bool kIsDeviceLambda = false;
#endif

/// Whether device code must be passed the comparison. Else it can make one where it needs one.
template <class Less>
constexpr bool kHasState =
    kIsDeviceLambda<Less> || !std::is_empty_v<Less> || !std::is_default_constructible_v<Less>;

/// The merge sort of keys, alone or with values, by a comparison.
template <class Item, class Value, class Less>
struct Merge {
  static constexpr bool kAsWords = std::is_class_v<Item> || std::is_union_v<Item>;
  using Key = std::conditional_t<kAsWords, Words<Item>, Item>;
  using Compare = std::conditional_t<kAsWords, ByWords<Item, Less>, Less>;
  using Plan = gpu::merge::multiway::PlanFor<
      std::conditional_t<kHasState<Less>, gpu::Held<Compare>, Compare>,
      gpu::merge_sort::Ties::keep_order, Key, Value>;
  using Data = Items<Item, Value>;

  static std::size_t bytes(std::size_t n) { return gpu::merge::multiway::workspace_bytes<Plan>(n); }

  static ResultIn sort(const Less& less, Data data, Data alternate, std::size_t n,
                       std::byte* workspace, cudaStream_t stream) {
    const auto keys = [](Data items) {
      return typename Plan::Data{reinterpret_cast<Key*>(items.keys), items.values};
    };
    if constexpr (kHasState<Less>) {
      return gpu::merge::multiway::sort<Plan>(keys(data), keys(alternate), n, workspace, stream, {},
                                              Compare{less});
    } else {
      return gpu::merge::multiway::sort<Plan>(keys(data), keys(alternate), n, workspace, stream);
    }
  }
};

/// An array as the merge sort takes it: what it sorts, and an alternate. Without a spare input that is a
/// copy in the output, and an alternate in the caller's memory.
template <class T>
class TwoArrays {
 public:
  TwoArrays(const Column& column, TempLayout& layout, std::size_t n)
      : bytes_(n * sizeof(T)),
        column_(column),
        d_alternate_(column.in_is_spare ? static_cast<T*>(column.out) : layout.take<T>(n)) {}

  T* begin(cudaStream_t stream) const {
    if (column_.in_is_spare) return static_cast<T*>(const_cast<void*>(column_.in));
    copy(column_.out, column_.in, bytes_, stream);
    return static_cast<T*>(column_.out);
  }
  T* alternate() const { return d_alternate_; }
  /// Brings the result to where it belongs, or returns where it is.
  void end(ResultIn where, Column& column, cudaStream_t stream) const {
    if (column_.in_is_spare) {
      column.result_is_in_in = where == ResultIn::data;
    } else if (where == ResultIn::alternate) {
      detail::copy(column_.out, d_alternate_, bytes_, stream);
    }
  }

 private:
  std::size_t bytes_;
  Column column_;
  T* d_alternate_;
};

/// Moves values, or items that were sorted by their indices: into the output, or where that is the input, by
/// way of d_spare, which is null in all other cases.
inline void gather_column(Column& column, std::size_t item_bytes, const std::uint32_t* d_index,
                          void* d_spare, std::size_t n, cudaStream_t stream) {
  void* const d_to = d_spare == nullptr ? column.out : d_spare;
  gather(column.in, d_to, item_bytes, d_index, sizeof(*d_index), n, stream);
  if (d_spare != nullptr) copy(column.out, d_spare, n * item_bytes, stream);
}
inline void* take_spare(const Column& column, std::size_t item_bytes, TempLayout& layout,
                        std::size_t n) {
  return column.in == column.out ? layout.take<std::byte>(n * item_bytes) : nullptr;
}

/// What a sort by a comparison moves beside the items.
enum class Beside : std::uint8_t { nothing, values, indices };

/// A sort of items by a comparison. Stable.
template <class Item, class Less, Beside kBeside>
struct ItemSort {
  Less less;
  std::size_t n = 0;
  Column keys = {};
  std::size_t value_bytes = 0;  // of a value or an index
  Column values = {};  // with Beside::indices, its output takes the indices, and keys have none

  /// Without memory, says how much is needed; else enqueues the sort.
  cudaError_t operator()(void* d_temp, std::size_t& temp_bytes, cudaStream_t stream) noexcept {
    try {
      TempLayout layout(d_temp);
      if constexpr (sizeof(Item) > kMostItemBytes) {
        return by_index(layout, temp_bytes, stream);
      } else if constexpr (kBeside == Beside::nothing) {
        return alone(layout, temp_bytes, stream);
      } else {
        return with_values(layout, temp_bytes, stream);
      }
    } catch (...) {
      return current_error();
    }
  }

 private:
  using Index = std::uint32_t;

  cudaError_t alone(TempLayout& layout, std::size_t& temp_bytes, cudaStream_t stream) {
    using Sort = Merge<Item, NoValue, Less>;
    const TwoArrays<Item> items(keys, layout, n);
    auto* const d_workspace = layout.take<std::byte>(Sort::bytes(n));
    if (const auto returned = layout.finish(temp_bytes)) return *returned;
    if (const auto returned = without_items()) return *returned;
    const OnDeviceOf device(stream);
    const ResultIn where =
        Sort::sort(less, {items.begin(stream)}, {items.alternate()}, n, d_workspace, stream);
    items.end(where, keys, stream);
    return cudaSuccess;
  }

  /// What the call returns at once if there is nothing to sort, or no array.
  std::optional<cudaError_t> without_items() {
    if (n == 0) {  // a double buffer stays as it is
      keys.result_is_in_in = keys.in_is_spare;
      values.result_is_in_in = values.in_is_spare;
      return cudaSuccess;
    }
    const bool has_keys = keys.in != nullptr && (kBeside == Beside::indices || keys.out != nullptr);
    const bool has_values =
        values.out != nullptr && (kBeside == Beside::indices || values.in != nullptr);
    if (has_keys && (kBeside == Beside::nothing || has_values)) return std::nullopt;
    return cudaErrorInvalidValue;
  }

  /// Values of 4 bytes travel with their keys. For others an index does.
  cudaError_t with_values(TempLayout& layout, std::size_t& temp_bytes, cudaStream_t stream) {
    using Sort = Merge<Item, Index, Less>;
    if (n > kMostIndexed) return cudaErrorInvalidValue;
    const bool is_index = kBeside == Beside::indices || value_bytes != sizeof(Index);
    Column sorted_keys = keys;
    if (kBeside == Beside::indices) sorted_keys.out = layout.take<Item>(n);
    Column payload = values;
    if (is_index) {
      payload = {};
      payload.out = kBeside == Beside::indices && value_bytes == sizeof(Index)
                        ? values.out
                        : layout.take<Index>(n);
      payload.in = payload.out;
    }
    const TwoArrays<Item> items(sorted_keys, layout, n);
    const TwoArrays<Index> payloads(payload, layout, n);
    void* const d_spare = kBeside == Beside::values && is_index
                              ? take_spare(values, value_bytes, layout, n)
                              : nullptr;
    auto* const d_workspace = layout.take<std::byte>(Sort::bytes(n));
    if (const auto returned = layout.finish(temp_bytes)) return *returned;
    if (const auto returned = without_items()) return *returned;
    const OnDeviceOf device(stream);
    if (is_index) number(payload.out, sizeof(Index), n, stream);
    const ResultIn where =
        Sort::sort(less, {items.begin(stream), payloads.begin(stream)},
                   {items.alternate(), payloads.alternate()}, n, d_workspace, stream);
    if (kBeside == Beside::values) items.end(where, keys, stream);
    if (!is_index) {
      payloads.end(where, values, stream);
      return cudaSuccess;
    }
    return finish(where == ResultIn::data ? static_cast<Index*>(payload.out) : payloads.alternate(),
                  d_spare, stream);
  }

  /// Sorts indices of the items, which stay where they are until the end.
  cudaError_t by_index(TempLayout& layout, std::size_t& temp_bytes, cudaStream_t stream) {
    using Indirect = ByIndex<Item, Less>;
    using Sort = Merge<Index, NoValue, Indirect>;
    if (n > kMostIndexed) return cudaErrorInvalidValue;
    auto* const d_index = layout.take<Index>(n);
    auto* const d_alternate = layout.take<Index>(n);
    void* const d_spare_items =
        kBeside == Beside::indices ? nullptr : take_spare(keys, sizeof(Item), layout, n);
    void* const d_spare_values =
        kBeside == Beside::values ? take_spare(values, value_bytes, layout, n) : nullptr;
    auto* const d_workspace = layout.take<std::byte>(Sort::bytes(n));
    if (const auto returned = layout.finish(temp_bytes)) return *returned;
    if (const auto returned = without_items()) return *returned;
    const OnDeviceOf device(stream);
    number(d_index, sizeof(Index), n, stream);
    const ResultIn where = Sort::sort(Indirect{static_cast<const Item*>(keys.in), less}, {d_index},
                                      {d_alternate}, n, d_workspace, stream);
    const Index* const d_sorted = where == ResultIn::data ? d_index : d_alternate;
    if (kBeside != Beside::indices)
      gather_column(keys, sizeof(Item), d_sorted, d_spare_items, n, stream);
    return finish(d_sorted, d_spare_values, stream);
  }

  /// Moves the values by their indices in order, or hands out the indices.
  cudaError_t finish(const Index* d_sorted, void* d_spare, cudaStream_t stream) {
    if (kBeside == Beside::values) gather_column(values, value_bytes, d_sorted, d_spare, n, stream);
    if (kBeside == Beside::indices) {
      if (value_bytes == sizeof(Index)) {
        copy(values.out, d_sorted, n * sizeof(Index), stream);
      } else {
        widen_indices(d_sorted, values.out, n, stream);
      }
    }
    return cudaSuccess;
  }
};

}  // namespace sortlab::cuda::detail
