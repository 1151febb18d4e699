// Collects short segments of about the same length until there are enough of them for a batch, and sorts it.
//
//   lengths 3 9 4 5 30 ..  ->  | 3 4 .. | to 4     a queue for each power of two; a full one is sorted side by side
//                              | 5 ..   | to 8
//                              | 9 ..   | to 16
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "common/contract/segments.hpp"
#include "cpu/primitives/simd/keys.hpp"
#include "cpu/segments/columns/calls.hpp"

namespace sortlab::cpu::segments::columns {

/// How the keys of a call compare.
template <class Job>
Form<typename primitives::simd::SignedKeys<Job>::Int> form_of(const Job& job) {
  using Keys = primitives::simd::SignedKeys<Job>;
  using Int = typename Keys::Int;
  Form<Int> form{.flip = Keys::kFlip};
  if constexpr (Keys::kFloat) {
    if (!job.nans_last) return form;
    constexpr int kMantissa = std::numeric_limits<typename Job::Key>::digits - 1;
    form.shift = (Int{1} << kMantissa) - 1;  // so many NaNs have one sign
    form.first_nan = std::numeric_limits<Int>::max() - 2 * form.shift + 1;
    form.is_rank = job.are_ranks;
  }
  return form;
}

/// Brings NaNs at the front of sorted floats, those of one sign, to the end.
template <class AnyItems>
void put_nans_last(AnyItems items, std::size_t n) {
  if (!std::isnan(items.keys[0])) return;
  const auto nans =
      std::partition_point(items.keys, items.keys + n, [](auto key) { return std::isnan(key); }) -
      items.keys;
  std::rotate(items.keys, items.keys + nans, items.keys + n);
  if constexpr (AnyItems::kPairs) std::rotate(items.values, items.values + nans, items.values + n);
}

/// Of one thread.
template <class Job>
class Queues {
  using Keys = primitives::simd::SignedKeys<Job>;
  using Int = typename Keys::Int;

 public:
  explicit Queues(const Job& job)
      : job_(job),
        calls_(calls<Int, Keys::kFloat>(job.isa)),
        form_(form_of(job)),
        lanes_(has_places() ? calls_.place_lanes : calls_.lanes) {}

  /// A segment of at most kMostItems.
  void add(std::size_t begin, std::size_t n) {
    if (n < 2 && !job_.are_numbered) return;
    Batch& batch = batches_[n < 2 ? 0 : std::bit_width(n - 1)];
    batch.begins[batch.count] = begin;
    batch.lengths[batch.count] = n;
    batch.shortest = batch.count == 0 ? n : std::min(batch.shortest, n);
    batch.longest = std::max(batch.longest, n);
    if (++batch.count == lanes_) sort(batch);
  }
  /// Contiguous rows of at most kMostItems.
  void add_rows(std::size_t begin, std::size_t rows, std::size_t columns) {
    if (!has_places() && columns > 1) {
      return calls_.sort_rows(from(begin), Keys::of(job_.data.keys) + begin, rows, columns, form_);
    }
    for (std::size_t row = 0; row < rows; ++row) add(begin + row * columns, columns);
  }
  /// The same for longer rows of keys alone, up to so many.
  std::size_t most_in_registers() const { return has_places() ? 0 : calls_.most_in_registers; }
  void add_long_rows(std::size_t begin, std::size_t rows, std::size_t columns) {
    Int* const keys = Keys::of(job_.data.keys) + begin;
    calls_.sort_long_rows(from(begin), keys, rows, columns, form_.flip);
    if constexpr (Keys::kFloat) {
      for (std::size_t r = 0; job_.nans_last && r < rows; ++r) {
        put_nans_last(job_.data.from(begin + r * columns), columns);
      }
    }
  }
  void finish() {
    for (Batch& batch : batches_) sort(batch);
  }

 private:
  bool has_places() const { return Job::kPairs || job_.are_numbered; }
  const Int* from(std::size_t begin) const {
    return static_cast<const Int*>(job_.from == nullptr ? job_.keys : job_.from) + begin;
  }

  void sort(Batch& batch) {
    if (batch.longest > 0) {
      batch.is_even = batch.count == lanes_ && batch.shortest == batch.longest;
      if (has_places()) {
        sort_with_places(batch);
      } else {
        calls_.sort(Keys::of(job_.data.keys), batch, form_);
      }
    }
    batch.count = batch.longest = 0;
  }

  void sort_with_places(const Batch& batch) {
    std::int64_t* to[kMostLanes] = {};
    const bool is_wide = job_.wide_places != nullptr;
    for (std::size_t s = 0; s < batch.count; ++s) {
      to[s] = is_wide ? reinterpret_cast<std::int64_t*>(job_.wide_places) + batch.begins[s]
                      : places_ + s * batch.longest;
    }
    calls_.places(Keys::of(job_.data.keys), batch, form_, places_, to);
    if (is_wide) return;
    for (std::size_t s = 0; s < batch.count; ++s) {
      const std::int64_t* const places = to[s];
      const std::size_t begin = batch.begins[s], n = batch.lengths[s];
      if (job_.are_numbered) {
        write(places, begin, n);
      } else {
        move(job_.data.keys + begin, places, n);
        if constexpr (Job::kPairs) move(job_.data.values + begin, places, n);
      }
    }
  }
  void write(const std::int64_t* places, std::size_t begin, std::size_t n) const {
    if constexpr (Job::kPairs) {
      using Value = typename Job::Value;
      std::transform(places, places + n, job_.data.values + begin,
                     [](std::int64_t place) { return static_cast<Value>(place); });
    }
  }
  template <class Item>
  static void move(Item* items, const std::int64_t* places, std::size_t n) {
    Item before[kMostItems];
    std::memcpy(before, items, n * sizeof(Item));
    for (std::size_t i = 0; i < n; ++i) items[i] = before[places[i]];
  }

  const Job& job_;
  Calls<Int> calls_;
  Form<Int> form_;
  std::size_t lanes_;
  Batch batches_[std::bit_width(kMostItems)]{};
  alignas(64) std::int64_t places_[8 * (kMostItems + 16)];
};

}  // namespace sortlab::cpu::segments::columns
