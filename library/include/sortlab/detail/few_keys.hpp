// Sorts of so few keys that a call of the library would take longer than they do.
#pragma once

#include <sortlab/detail/key_numbers.hpp>
#include <sortlab/options.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sortlab::detail {

inline constexpr std::size_t kFewKeys = 8;
/// Larger values are not moved here.
inline constexpr std::size_t kFewValueBytes = 64;

/// Whether n keys at this address are few, and the library would sort them without an error. Scratch memory is
/// the library's to judge.
template <class K>
bool are_few(const K* keys, std::size_t n, const Options& options) {
  return n <= kFewKeys && options.threads >= 0 && options.scratch.data() == nullptr &&
         options.order <= Order::descending && options.floats <= Floats::nans_last &&
         (n < 2 || (keys != nullptr && reinterpret_cast<std::uintptr_t>(keys) % sizeof(K) == 0));
}

inline void put_in_order(std::uint64_t& a, std::uint64_t& b) {
  const std::uint64_t low = b < a ? b : a, high = b < a ? a : b;
  a = low;
  b = high;
}

/// Networks with the fewest comparators (Knuth, The Art of Computer Programming, volume 3, 5.3.4).
inline void sort_4(std::uint64_t* x) {
  const auto c = [x](int i, int j) { detail::put_in_order(x[i], x[j]); };
  c(0, 1), c(2, 3), c(0, 2), c(1, 3), c(1, 2);
}
/// Not inlined: each key type would compile it again.
[[gnu::noinline]] inline void sort_8(std::uint64_t* x) {
  const auto c = [x](int i, int j) { detail::put_in_order(x[i], x[j]); };
  c(0, 2), c(1, 3), c(4, 6), c(5, 7), c(0, 4), c(1, 5), c(2, 6), c(3, 7), c(0, 1), c(2, 3);
  c(4, 5), c(6, 7), c(2, 4), c(3, 5), c(1, 4), c(3, 6), c(1, 2), c(3, 4), c(5, 6);
}

/// Sorts few keys. Numbers above all others fill a network's free places.
template <class K>
void sort_few(K* keys, std::size_t n, const Options& options) {
  const KeyNumbers<K> numbers(options);
  const auto sort = [&](auto network, std::size_t least, std::size_t most) {
    std::uint64_t x[kFewKeys];
    for (std::size_t i = 0; i < most; ++i) {
      x[i] = i < least || i < n ? numbers.number(keys[i]) : ~std::uint64_t{0};
    }
    bool is_sorted = most > 2;
    for (std::size_t i = 1; i < most; ++i) is_sorted &= x[i - 1] <= x[i];
    if (is_sorted) return;
    network(x);
    for (std::size_t i = 0; i < most; ++i) {
      if (i < least || i < n)
        numbers.put(static_cast<typename KeyNumbers<K>::Number>(x[i]), keys[i]);
    }
  };
  if (n == 2) {
    sort([](std::uint64_t* x) { detail::put_in_order(x[0], x[1]); }, 2, 2);
  } else if (n == 3 || n == 4) {
    sort(detail::sort_4, 3, 4);
  } else if (n > 4) {
    sort(detail::sort_8, 5, 8);
  }
}

/// The place of each of few keys in sorted order; equal keys keep theirs.
template <class K>
void place_few(const K* keys, std::size_t n, const KeyNumbers<K>& numbers, unsigned char* places) {
  typename KeyNumbers<K>::Number x[kFewKeys];
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = numbers.number(keys[i]);
    places[i] = 0;
    for (std::size_t j = 0; j < i; ++j) {
      const bool is_before = x[i] < x[j];
      places[j] = static_cast<unsigned char>(places[j] + is_before);
      places[i] = static_cast<unsigned char>(places[i] + !is_before);
    }
  }
}

/// The same as sort_few(), with values of at most kFewValueBytes.
template <class K, class V>
void sort_few_pairs(K* keys, V* values, std::size_t n, const Options& options) {
  const KeyNumbers<K> numbers(options);
  unsigned char places[kFewKeys];
  detail::place_few(keys, n, numbers, places);
  std::byte copy_of_keys[kFewKeys * sizeof(K)], copy_of_values[kFewKeys * sizeof(V)];
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(copy_of_keys + places[i] * sizeof(K), keys + i, sizeof(K));
    std::memcpy(copy_of_values + places[i] * sizeof(V), values + i, sizeof(V));
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::memcpy(keys + i, copy_of_keys + i * sizeof(K), sizeof(K));
    std::memcpy(static_cast<void*>(values + i), copy_of_values + i * sizeof(V), sizeof(V));
  }
}

template <class K, class I>
void argsort_few(const K* keys, I* order, std::size_t n, const Options& options) {
  const bool are_values_equal = options.floats == Floats::nans_last;
  const KeyNumbers<K> numbers(options, are_values_equal ? Equal::by_value : Equal::by_bits);
  unsigned char places[kFewKeys];
  detail::place_few(keys, n, numbers, places);
  for (std::size_t i = 0; i < n; ++i) order[places[i]] = static_cast<I>(i);
}

}  // namespace sortlab::detail
