// The best keys of rows, and partitions of rows, in C order.
#pragma once

#include <sortlab/top_k.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <sortlab/detail/key_numbers.hpp>
#include <vector>

#include "library/python/passes.hpp"
#include "library/python/rows.hpp"

namespace sortlab::python {

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

/// Places of the keys less than the pivot, those that equal it, those that are greater.
template <class Key>
void order_by_pivot(const Key* keys, std::size_t n, Key pivot, std::int64_t* order) {
  const sortlab::detail::KeyNumbers<Key> numbers({.floats = Floats::nans_last},
                                                 sortlab::detail::Equal::by_value);
  const auto middle = numbers.number(pivot);
  std::size_t less = 0, equal = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto number = numbers.number(keys[i]);
    less += number < middle ? 1 : 0;
    equal += number == middle ? 1 : 0;
  }
  std::int64_t *to_less = order, *to_equal = order + less, *to_greater = order + less + equal;
  for (std::size_t i = 0; i < n; ++i) {  // without a branch
    const auto number = numbers.number(keys[i]);
    std::int64_t* to = number < middle ? to_less : to_equal;
    to = number > middle ? to_greater : to;
    *to = static_cast<std::int64_t>(i);
    to_less += number < middle ? 1 : 0;
    to_equal += number == middle ? 1 : 0;
    to_greater += number > middle ? 1 : 0;
  }
}

/// Calls f with a null pointer of the keys' type. Not of half-precision floats.
template <class F>
void visit_keys(const KeyType& type, F f) {
  switch (type.number) {
    case SORTLAB_TYPE_U8:
      return f(static_cast<std::uint8_t*>(nullptr));
    case SORTLAB_TYPE_I8:
      return f(static_cast<std::int8_t*>(nullptr));
    case SORTLAB_TYPE_U16:
      return f(static_cast<std::uint16_t*>(nullptr));
    case SORTLAB_TYPE_I16:
      return f(static_cast<std::int16_t*>(nullptr));
    case SORTLAB_TYPE_U32:
      return f(static_cast<std::uint32_t*>(nullptr));
    case SORTLAB_TYPE_I32:
      return f(static_cast<std::int32_t*>(nullptr));
    case SORTLAB_TYPE_U64:
      return f(static_cast<std::uint64_t*>(nullptr));
    case SORTLAB_TYPE_I64:
      return f(static_cast<std::int64_t*>(nullptr));
    case SORTLAB_TYPE_F32:
      return f(static_cast<float*>(nullptr));
    case SORTLAB_TYPE_F64:
      return f(static_cast<double*>(nullptr));
    default:
      throw std::invalid_argument("sortlab: an array was not made ready for its sort");
  }
}

/// The same for keys of up to 4 bytes: each is a number with its place, and these are partitioned.
template <class Key>
int partition_numbered(const Key* keys, std::size_t n, std::size_t k, std::int64_t* order,
                       const sortlab_options& options) {
  const sortlab::detail::KeyNumbers<Key> numbers({.floats = Floats::nans_last},
                                                 sortlab::detail::Equal::by_value);
  for (std::size_t i = 0; i < n; ++i) {
    const auto number = static_cast<std::uint64_t>(numbers.number(keys[i]));
    order[i] = static_cast<std::int64_t>(number << 32 | i);
  }
  const int status = sortlab_nth_element(order, n, SORTLAB_TYPE_U64, k, &options);
  for (std::size_t i = 0; i < n; ++i) order[i] &= 0xFFFFFFFF;
  return status;
}

/// The places of each row's keys in such an order that the k-th is in place.
inline void argpartition_rows(const Rows& rows, std::int64_t* order, std::size_t k,
                              const sortlab_options& options) {
  visit_keys(rows.type, [&]<class Key>(Key*) {
    Status status;
    for_rows(rows, options.threads, [&](std::size_t r) {
      const auto* const keys = reinterpret_cast<const Key*>(rows.keys) + r * rows.n;
      if (sizeof(Key) <= 4 && rows.n <= UINT32_MAX) {
        return status.add(partition_numbered(keys, rows.n, k, order + r * rows.n, options));
      }
      const std::unique_ptr<Key[]> copy(new (std::nothrow) Key[rows.n]);
      if (copy == nullptr) return status.add(SORTLAB_ERROR_MEMORY);
      std::copy_n(keys, rows.n, copy.get());
      status.add(sortlab_nth_element(copy.get(), rows.n, rows.type.number, k, &options));
      order_by_pivot(keys, rows.n, copy[k], order + r * rows.n);
    });
    status.check();
  });
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
