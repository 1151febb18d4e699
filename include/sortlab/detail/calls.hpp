// The implementation of sortlab/sort.hpp: maps C++ types to the calls of the C interface.
#pragma once

#include <sortlab/detail/key_numbers.hpp>
#include <sortlab/detail/keys.hpp>
#include <sortlab/detail/merge_sort.hpp>
#include <sortlab/options.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <type_traits>

namespace sortlab::detail {

// Sorts of so few keys that a call of the library would take longer than they do.

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

// The calls.

/// Throws the exceptions of the standard's functions.
[[noreturn]] inline void throw_status(int status) {
  if (status == SORTLAB_ERROR_MEMORY) throw std::bad_alloc();
  // No std::string: its functions in a plug-in would be used by libstdc++, and keep the plug-in loaded.
  char text[128];
  std::snprintf(text, sizeof text, "sortlab: %s", ::sortlab_error_text(status));
  throw std::invalid_argument(text);
}

inline void check(int status) {
  if (status != SORTLAB_SUCCESS) [[unlikely]] {
    detail::throw_status(status);
  }
}

inline sortlab_options options_of(const Options& options, sortlab_sorter* sorter) {
  return {sizeof(sortlab_options),
          static_cast<std::int32_t>(options.order),
          static_cast<std::int32_t>(options.floats),
          options.threads,
          options.any_order && !options.stable ? 1 : 0,
          options.scratch.data(),
          options.scratch.size(),
          sorter};
}

template <class K>
void sort_keys(K* keys, std::size_t n, const Options& options, sortlab_sorter* sorter) {
  if (detail::are_few(keys, n, options)) {
    if (n > 1) detail::sort_few(keys, n, options);
    return;
  }
  const sortlab_options given = detail::options_of(options, sorter);
  detail::check(::sortlab_sort(keys, n, detail::type_of<K>(), &given));
}

template <class K, class V>
void sort_pairs(K* keys, V* values, std::size_t n, const Options& options, sortlab_sorter* sorter) {
  if constexpr (sizeof(V) <= kFewValueBytes) {
    if (detail::are_few(keys, n, options) && (n < 2 || values != nullptr)) {
      return detail::sort_few_pairs(keys, values, n, options);
    }
  }
  const sortlab_options given = detail::options_of(options, sorter);
  detail::check(::sortlab_sort_pairs(keys, values, n, detail::type_of<K>(), sizeof(V), &given));
}

template <class K, class I>
void sort_indices(const K* keys, I* order, std::size_t n, const Options& options,
                  sortlab_sorter* sorter) {
  if constexpr (sizeof(I) <= sizeof(std::uint64_t)) {
    if (detail::are_few(keys, n, options) && n > 1 && order != nullptr) {
      return detail::argsort_few(keys, order, n, options);
    }
  }
  const sortlab_options given = detail::options_of(options, sorter);
  detail::check(::sortlab_argsort(keys, order, n, detail::type_of<K>(), sizeof(I), &given));
}

/// Whether `Less` is one of the standard's names for the order of T itself. A program may specialize std::less<T>
/// for its own T.
template <class T, class Less>
inline constexpr bool kNamesLess = std::is_same_v<Less, std::less<>> ||
                                   std::is_same_v<Less, std::ranges::less> ||
                                   (std::is_same_v<Less, std::less<T>> && std::is_arithmetic_v<T>);
template <class T, class Less>
inline constexpr bool kNamesGreater = std::is_same_v<Less, std::greater<>> ||
                                      std::is_same_v<Less, std::ranges::greater> ||
                                      (std::is_same_v<Less, std::greater<T>> &&
                                       std::is_arithmetic_v<T>);

/// A comparison of the user's as the sorts call it: anything that std::invoke takes, with items that it may
/// take as not const. No item here is const.
template <class T, class Less, bool kReversed>
struct Invoked {
  Less& less;

  bool operator()(const T& a, const T& b) const {
    T &first = const_cast<T&>(kReversed ? b : a), &second = const_cast<T&>(kReversed ? a : b);
    return static_cast<bool>(std::invoke(less, first, second));
  }
};

/// An item that can be moved between two buffers by several threads: a move that fails would lose it.
template <class T>
inline constexpr bool kMovesSafely = std::is_trivially_copyable_v<T> ||
                                     (std::is_nothrow_move_constructible_v<T> &&
                                      std::is_nothrow_move_assignable_v<T>);

/// Whether several threads may sort n items of type T by a comparison, if they are free.
template <class T>
bool may_share(std::size_t n, int threads) {
  return kMovesSafely<T> && threads != 1 && n >= 2 * kItemsPerThread;
}

/// How many threads that is.
template <class T>
int threads_for(std::size_t n, int threads) {
  if (!may_share<T>(n, threads)) return 1;
  const auto at_hand = static_cast<std::size_t>(::sortlab_threads_at_hand(threads));
  return static_cast<int>(std::min(at_hand, n / kItemsPerThread));
}

/// Memory for n items: the caller's scratch, a sorter's, or its own.
template <class T>
class Buffer {
 public:
  Buffer(std::size_t n, const Options& options, sortlab_sorter* sorter) {
    if (!options.scratch.empty()) {
      items_ = in(options.scratch, n);
    } else if (sorter != nullptr && alignof(T) <= 256) {
      items_ = static_cast<T*>(::sortlab_sorter_memory(sorter, n * sizeof(T)));
      if (items_ == nullptr) throw std::bad_alloc();
    } else {
      own_ = ::operator new(n * sizeof(T), std::align_val_t(alignof(T)));
      items_ = static_cast<T*>(own_);
    }
  }
  ~Buffer() {
    if (own_ != nullptr) ::operator delete(own_, std::align_val_t(alignof(T)));
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* items() const { return items_; }

  /// The place of n items in scratch memory. Throws std::invalid_argument if it is too small.
  static T* in(std::span<std::byte> scratch, std::size_t n) {
    void* memory = scratch.data();
    std::size_t bytes = scratch.size();
    if (std::align(alignof(T), n * sizeof(T), memory, bytes) == nullptr) {
      detail::throw_status(SORTLAB_ERROR_SCRATCH);
    }
    return static_cast<T*>(memory);
  }

 private:
  void* own_ = nullptr;
  T* items_;
};

template <class T, class Less>
void sort_items_by(T* items, std::size_t n, Less less, const Options& options,
                   sortlab_sorter* sorter) {
  if (options.threads < 0) detail::throw_status(SORTLAB_ERROR_ARGUMENT);
  const int threads = detail::threads_for<T>(n, options.threads);
  if (detail::may_share<T>(n, options.threads) && !options.scratch.empty()) {
    Buffer<T>::in(options.scratch, n);  // throws if it is too small
  }
  if (threads > 1) {
    const Buffer<T> buffer(n, options, sorter);
    MergeSort<T, Less>(items, buffer.items(), n, detail::chunks_for(threads), less)
        .run(options.stable);
  } else if (options.stable) {
    std::stable_sort(items, items + n, less);
  } else {
    std::sort(items, items + n, less);
  }
}

template <class T, class Less>
void sort_items(T* items, std::size_t n, Less& less, const Options& options,
                sortlab_sorter* sorter) {
  const bool descends = options.order == Order::descending;
  // A stable sort of floats by `<` keeps the order of -0 and +0, which are equal.
  if constexpr (Key<T> && (kNamesLess<T, Less> || kNamesGreater<T, Less>)) {
    if (std::is_integral_v<T> || std::is_enum_v<T> || !options.stable) {
      Options known = options;
      known.order = kNamesLess<T, Less> == descends ? Order::descending : Order::ascending;
      return detail::sort_keys(items, n, known, sorter);
    }
  }
  if (descends) {
    return detail::sort_items_by(items, n, Invoked<T, Less, true>{less}, options, sorter);
  }
  detail::sort_items_by(items, n, Invoked<T, Less, false>{less}, options, sorter);
}

}  // namespace sortlab::detail
