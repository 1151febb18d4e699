// Sorts the rows of an array along any of its axes; partitions rows, and finds the best of them.
#pragma once

#include <sortlab/segments.h>
#include <sortlab/sortlab.h>
#include <sortlab/top_k.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <vector>

#include "library/python/arrays.hpp"
#include "library/python/passes.hpp"
#include "library/python/short_rows.hpp"

namespace sortlab::python {

// Floats that compare as equal although their bits differ: -0 and +0, and NaNs.

/// A half-precision float.
struct Half {
  std::uint16_t bits;
};

inline bool is_nan(Half key) { return (key.bits & 0x7FFF) > 0x7C00; }
inline bool is_zero(Half key) { return (key.bits & 0x7FFF) == 0; }
inline bool is_negative(Half key) { return (key.bits & 0x8000) != 0; }
template <class Float>
bool is_nan(Float key) {
  return std::isnan(key);
}
template <class Float>
bool is_zero(Float key) {
  return key == 0;
}
template <class Float>
bool is_negative(Float key) {
  return std::signbit(key);
}

/// The zeros and the NaNs among keys, in input order. The library sorts them by their bits; a
/// stable sort restores this order.
template <class Float>
class EqualFloats {
 public:
  EqualFloats(const Float* keys, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
      if (is_zero(keys[i])) zeros_.push_back(keys[i]);
      if (is_nan(keys[i])) nans_.push_back(keys[i]);
    }
  }

  /// The place of the same keys after sorting, NaNs last.
  void put_back(Float* keys, std::size_t n, bool descending) const {
    Float* const numbers_end = keys + n - nans_.size();
    std::copy(nans_.begin(), nans_.end(), numbers_end);
    Float* const zeros = std::partition_point(keys, numbers_end, [&](Float key) {
      return !is_zero(key) && is_negative(key) != descending;
    });
    std::copy(zeros_.begin(), zeros_.end(), zeros);
  }

 private:
  std::vector<Float> zeros_, nans_;
};

/// Whether a key is -0 or NaN. Without such keys, equal keys have equal bits.
template <class Float>
bool has_minus_zero_or_nan(const Float* keys, std::size_t n) {
  bool found = false;  // no early end, so that the loop becomes vectors
  for (std::size_t i = 0; i < n; ++i) {
    found |= is_nan(keys[i]) || (is_zero(keys[i]) && is_negative(keys[i]));
  }
  return found;
}

/// Throws std::bad_alloc or, as Python's ValueError, std::invalid_argument.
inline void check(int status) {
  if (status == SORTLAB_SUCCESS) return;
  if (status == SORTLAB_ERROR_MEMORY) throw std::bad_alloc();
  throw std::invalid_argument(sortlab_error_text(status));
}

/// Memory as the library gets its own.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) : sorter_(sortlab_sorter_create(), &sortlab_sorter_destroy) {
    if (sorter_ == nullptr) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(sortlab_sorter_memory(sorter_.get(), bytes));
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  std::byte* data() const { return memory_; }

 private:
  std::unique_ptr<sortlab_sorter, void (*)(sortlab_sorter*)> sorter_;
  std::byte* memory_;
};

/// NaT, which the library takes for the least number.
constexpr std::int64_t kNotATime = INT64_MIN;

/// Moves the NaTs at the beginning of n sorted keys to their end, and what is sorted with them.
inline void move_nats_last(std::int64_t* keys, std::size_t n, void* values = nullptr,
                           std::size_t value_bytes = 0) {
  const auto nats = static_cast<std::size_t>(std::upper_bound(keys, keys + n, kNotATime) - keys);
  std::rotate(keys, keys + nats, keys + n);
  auto* const bytes = static_cast<std::byte*>(values);
  if (nats > 0 && values != nullptr) {
    std::rotate(bytes, bytes + nats * value_bytes, bytes + n * value_bytes);
  }
}

/// The same for their order alone.
template <class Index>
void move_indices_of_nats_last(Index* order, const std::int64_t* keys, std::size_t n) {
  Index* const numbers =
      std::find_if(order, order + n, [&](Index i) { return keys[i] != kNotATime; });
  std::rotate(order, numbers, order + n);
}

template <class Float>
void sort_stably(void* data, std::size_t n, int type, const sortlab_options& options) {
  auto* const keys = static_cast<Float*>(data);
  const EqualFloats<Float> equal(keys, n);
  check(sortlab_sort(keys, n, type, &options));
  equal.put_back(keys, n, options.order == SORTLAB_ORDER_DESCENDING);
}

inline bool nats_come_first(const KeyType& type, const sortlab_options& options) {
  return type.is_time && options.order == SORTLAB_ORDER_ASCENDING;
}

inline void sort_row(std::byte* keys, std::size_t n, const KeyType& type, bool stable,
                     const sortlab_options& options) {
  const int number = type.number;
  if (stable && number == SORTLAB_TYPE_F16) return sort_stably<Half>(keys, n, number, options);
  if (stable && number == SORTLAB_TYPE_F32) return sort_stably<float>(keys, n, number, options);
  if (stable && number == SORTLAB_TYPE_F64) return sort_stably<double>(keys, n, number, options);
  check(sortlab_sort(keys, n, number, &options));
  if (nats_come_first(type, options)) move_nats_last(reinterpret_cast<std::int64_t*>(keys), n);
}

/// Sorts keys and values of `value_bytes`, by the order of bits among equal floats.
inline void sort_pairs_row(std::byte* keys, std::byte* values, std::size_t n, const KeyType& type,
                           std::size_t value_bytes, const sortlab_options& options) {
  check(sortlab_sort_pairs(keys, values, n, type.number, value_bytes, &options));
  if (nats_come_first(type, options)) {
    move_nats_last(reinterpret_cast<std::int64_t*>(keys), n, values, value_bytes);
  }
}

/// Sorts keys, and writes the index that each had, which has 8 bytes. `memory` has 4 bytes a key.
inline void sort_indexed_row(std::byte* keys, std::byte* order, std::byte* memory, std::size_t n,
                             const KeyType& type, const sortlab_options& options) {
  auto* const index = reinterpret_cast<std::uint32_t*>(memory);
  number(index, n, options.threads);
  sort_pairs_row(keys, memory, n, type, sizeof(std::uint32_t), options);
  widen(reinterpret_cast<std::int64_t*>(order), index, n, options.threads);
}

inline void argsort_row(const std::byte* keys, std::byte* order, std::size_t n, const KeyType& type,
                        std::size_t index_bytes, const sortlab_options& options) {
  check(sortlab_argsort(keys, order, n, type.number, index_bytes, &options));
  if (!nats_come_first(type, options)) return;
  const auto* const times = reinterpret_cast<const std::int64_t*>(keys);
  if (index_bytes == 8) {
    move_indices_of_nats_last(reinterpret_cast<std::uint64_t*>(order), times, n);
  } else {
    move_indices_of_nats_last(reinterpret_cast<std::uint32_t*>(order), times, n);
  }
}

/// Copies a block of columns, n x inner items apart, to rows or back.
template <bool to_rows>
void transpose(std::byte* array, std::byte* rows, std::size_t n, std::size_t inner,
               std::size_t columns, std::size_t item_bytes) {
  const auto copy = [&]<class Item>(Item) {
    auto* const from = reinterpret_cast<Item*>(array);
    auto* const to = reinterpret_cast<Item*>(rows);
    constexpr std::size_t kLine = 64 / sizeof(Item);
    for (std::size_t i0 = 0; i0 < n; i0 += kLine) {
      for (std::size_t j0 = 0; j0 < columns; j0 += kLine) {
        const std::size_t i1 = std::min(n, i0 + kLine), j1 = std::min(columns, j0 + kLine);
        for (std::size_t j = j0; j < j1; ++j) {
          for (std::size_t i = i0; i < i1; ++i) {
            if constexpr (to_rows) {
              to[j * n + i] = from[i * inner + j];
            } else {
              from[i * inner + j] = to[j * n + i];
            }
          }
        }
      }
    }
  };
  if (item_bytes == 1) return copy(std::uint8_t{});
  if (item_bytes == 2) return copy(std::uint16_t{});
  if (item_bytes == 4) return copy(std::uint32_t{});
  copy(std::uint64_t{});
}

/// Calls work(keys, order) for each row, in memory without gaps; `order` is null if the rows have none.
template <class Work>
void for_rows(const Rows& rows, Work work) {
  const std::size_t n = rows.n, bytes = rows.type.bytes;
  const auto order_at = [&](std::size_t item) {
    return rows.order == nullptr ? nullptr : rows.order + item * rows.order_bytes;
  };
  if (rows.inner == 1) {
    for (std::size_t at = 0; at < rows.outer * n; at += n) {
      work(rows.keys + at * bytes, order_at(at));
    }
    return;
  }
  const std::size_t most = std::min(rows.inner, 64 / bytes);         // a cache line
  const std::size_t keys_bytes = (most * n * bytes + 63) / 64 * 64;  // aligned for the order
  const Scratch memory(keys_bytes + most * n * rows.order_bytes);
  std::byte* const keys = memory.data();
  std::byte* const order = keys + keys_bytes;
  for (std::size_t block = 0; block < rows.outer; ++block) {
    for (std::size_t column = 0; column < rows.inner; column += most) {
      const std::size_t columns = std::min(most, rows.inner - column);
      const std::size_t at = block * n * rows.inner + column;
      transpose<true>(rows.keys + at * bytes, keys, n, rows.inner, columns, bytes);
      for (std::size_t row = 0; row < columns * n; row += n) {
        work(keys + row * bytes, rows.order == nullptr ? nullptr : order + row * rows.order_bytes);
      }
      if (rows.moves_keys) {
        transpose<false>(rows.keys + at * bytes, keys, n, rows.inner, columns, bytes);
      }
      if (rows.order != nullptr) {
        transpose<false>(order_at(at), order, n, rows.inner, columns, rows.order_bytes);
      }
    }
  }
}

/// Whether one call of the library sorts all rows, and as the caller wants equal keys: they lie one behind the other, and
/// are wide enough, or short rows of keys of 2 bytes alone.
inline bool go_together(const Rows& rows, bool stable) {
  const bool keeps_equal_floats = stable && rows.type.is_float() && rows.moves_keys;
  const bool sorts_with_indices = rows.order != nullptr && rows.moves_keys;
  const bool are_narrow_and_short =
      rows.type.bytes == 2 && rows.order == nullptr && rows.n >= 2 && rows.n <= 256;
  return rows.inner == 1 && rows.outer > 1 && (rows.type.bytes >= 4 || are_narrow_and_short) &&
         !rows.type.is_time && !keeps_equal_floats && !sorts_with_indices;
}

inline int sort_together(const Rows& rows, const sortlab_options& options) {
  sortlab_segments cut{};
  cut.size = sizeof cut;
  cut.count = rows.outer;
  cut.stride = cut.length = rows.n;
  const std::size_t items = rows.n * rows.outer;
  return rows.order == nullptr
             ? sortlab_segmented_sort(rows.keys, items, rows.type.number, &cut, &options)
             : sortlab_segmented_argsort(rows.keys, rows.order, items, rows.type.number,
                                         rows.order_bytes, &cut, &options);
}

/// Whether one call of the library writes sorted copies of all rows.
inline bool are_copied_sorted(const Rows& rows, bool stable) {
  return go_together(rows, stable) && rows.order == nullptr && !rows.type.is_swapped && rows.n > 0;
}

/// Sorts each row. `rows.order` gets the indices that its keys had; without moves_keys the keys stay.
/// Equal keys keep their order in argsort (no moves_keys) and if `stable`.
inline void sort_rows(const Rows& rows, bool stable, const sortlab_options& options) {
  const std::size_t n = rows.n, items = n * rows.count();
  if (items == 0) return;
  const int threads = options.threads;
  if (rows.type.is_swapped) swap_bytes(rows.keys, items, rows.type.bytes, threads);
  const bool ranks = rows.order != nullptr || (stable && rows.type.is_float());
  const bool by_bits = ranks && rows.moves_keys && !stable && rows.type.is_float();
  if (go_together(rows, stable)) {
    check(sort_together(rows, options));
  } else if (are_short(rows, ranks) && !by_bits) {
    const bool descending = options.order == SORTLAB_ORDER_DESCENDING;
    for_items(
        rows.count(), threads,
        [&](std::size_t first, std::size_t last) {
          sort_short_rows(rows, ranks, descending, first, last);
        },
        kWorthThreads / n);
  } else {
    std::optional<Scratch> index;
    if (rows.order != nullptr && rows.moves_keys) index.emplace(n * sizeof(std::uint32_t));
    for_rows(rows, [&](std::byte* keys, std::byte* order) {
      if (order == nullptr) {
        sort_row(keys, n, rows.type, stable, options);
      } else if (rows.moves_keys) {
        sort_indexed_row(keys, order, index->data(), n, rows.type, options);
      } else {
        argsort_row(keys, order, n, rows.type, rows.order_bytes, options);
      }
    });
  }
  if (rows.type.is_swapped && rows.moves_keys) {
    swap_bytes(rows.keys, items, rows.type.bytes, threads);
  }
}

// The best keys of rows, and partitions of rows, in C order.

/// What a call found out, of whichever row.
class Status {
 public:
  void add(int status) {
    if (status != SORTLAB_SUCCESS) __atomic_store_n(&status_, status, __ATOMIC_RELAXED);
  }
  void check() const { python::check(status_); }

 private:
  int status_ = SORTLAB_SUCCESS;
};

/// Calls work(row) for each row of `rows`, on as many threads as they are worth.
template <class Work>
void for_rows(const Rows& rows, int threads, Work work) {
  const std::size_t worth = kWorthThreads / std::max<std::size_t>(1, rows.n) + 1;
  for_items(
      rows.count(), threads,
      [&](std::size_t first, std::size_t last) {
        for (std::size_t r = first; r < last; ++r) work(r);
      },
      worth);
}

/// Brings the keys of all places `kth`, which ascend, to their places: each among those that the one before has left.
inline int partition_row(std::byte* keys, std::size_t n, const KeyType& type,
                         const std::vector<std::size_t>& kth, const sortlab_options& options) {
  std::size_t begin = 0;
  for (const std::size_t k : kth) {
    const int status =
        sortlab_nth_element(keys + begin * type.bytes, n - begin, type.number, k - begin, &options);
    if (status != SORTLAB_SUCCESS) return status;
    begin = k + 1;
  }
  return SORTLAB_SUCCESS;
}

inline void partition_rows(const Rows& rows, const std::vector<std::size_t>& kth,
                           const sortlab_options& options) {
  Status status;
  for_rows(rows, options.threads, [&](std::size_t r) {
    status.add(
        partition_row(rows.keys + r * rows.n * rows.type.bytes, rows.n, rows.type, kth, options));
  });
  status.check();
}

/// The places of each row's keys in such an order that the k-th is in place.
inline void argpartition_rows(const Rows& rows, std::int64_t* order, std::size_t k,
                              const sortlab_options& options) {
  Status status;
  for_rows(rows, options.threads, [&](std::size_t r) {
    const std::size_t at = r * rows.n;
    status.add(sortlab_argpartition(rows.keys + at * rows.type.bytes, order + at, rows.n,
                                    rows.type.number, k, sizeof(std::int64_t), &options));
  });
  status.check();
}

/// The best k of each row and their places. NaNs are the largest keys.
inline void top_k_rows(const Rows& rows, void* best, std::int64_t* places, std::size_t k,
                       bool largest, bool sorted, sortlab_options options) {
  sortlab_rows shape{};
  shape.size = sizeof shape;
  shape.count = rows.count();
  shape.length = shape.stride = rows.n;
  sortlab_top top{};
  top.size = sizeof top;
  top.k = k;
  top.sorted = sorted ? 1 : 0;
  top.nans_first = largest ? 1 : 0;
  check(sortlab_top_k(rows.keys, rows.type.number, &shape, &top, best, places, sizeof(std::int64_t),
                      &options));
}

}  // namespace sortlab::python
