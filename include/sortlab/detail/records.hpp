// Sorts items by a key in them. The keys become numbers, which the library sorts together with an index; then
// each item moves to its place once. A key may be a tuple: its numbers are joined to one.
//
//   items    {7, "g"} {2, "b"} {5, "e"}
//   numbers   7        2        5            the projection's results
//   index     0        1        2     sorted by the numbers:  1  2  0
//   items    {2, "b"} {5, "e"} {7, "g"}      by way of a buffer
//
// Numbers of 16 bytes take two stable sorts: by their lower halves, then by their upper halves.
#pragma once

#include <sortlab/detail/calls.hpp>
#include <sortlab/detail/key_numbers.hpp>
#include <sortlab/options.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

namespace sortlab::detail {

/// How many bytes the number of a key or of a tuple of keys takes; 0: it is neither.
template <class K>
inline constexpr std::size_t kNumberBytes = Key<K> ? sizeof(K) : 0;
template <class... K>
inline constexpr std::size_t kNumberBytes<std::tuple<K...>> = (Key<std::remove_cvref_t<K>> && ...)
                                                                  ? (std::size_t{0} + ... +
                                                                     sizeof(std::remove_cvref_t<K>))
                                                                  : 0;
template <class A, class B>
inline constexpr std::size_t kNumberBytes<std::pair<A, B>> = kNumberBytes<std::tuple<A, B>>;
template <class K, std::size_t n>
inline constexpr std::size_t kNumberBytes<std::array<K, n>> = Key<K> ? n * sizeof(K) : 0;

__extension__ typedef unsigned __int128 Number16;

/// The unsigned integer for numbers of so many bytes.
template <std::size_t bytes>
using NumberOf = std::conditional_t<bytes <= 4, std::uint32_t,
                                    std::conditional_t<bytes <= 8, std::uint64_t, Number16>>;

/// The projection of an item as a number, which holds the options' order.
template <class T, class Projection>
struct ItemNumber {
  using Result = std::invoke_result_t<Projection&, T&>;
  static constexpr std::size_t kBytes = kNumberBytes<std::remove_cvref_t<Result>>;
  using Number = NumberOf<kBytes>;

  Projection& projection;
  Options options;
  Equal equal;

  Number operator()(const T& item) const {
    const auto& key = std::invoke(projection, const_cast<T&>(item));  // no item is const
    Number number = 0;
    const auto append = [&]<class K>(const K& part) {
      const auto more = KeyNumbers<K>(options, equal).number(part);
      if constexpr (sizeof(K) < sizeof(Number)) number <<= 8 * sizeof(K);
      number = static_cast<Number>(number | more);
    };
    if constexpr (Key<std::remove_cvref_t<Result>>) {
      append(key);
    } else {
      std::apply([&](const auto&... parts) { (append(parts), ...); }, key);
    }
    return number;
  }
};

/// For fewer records the standard's sort, which compares their numbers, takes less time.
inline constexpr std::size_t kFewRecords = 32;

/// Sorters align their memory to as many bytes.
struct alignas(256) Line {
  std::byte bytes[256];
};
constexpr std::size_t lines_of(std::size_t bytes) {
  return (bytes + sizeof(Line) - 1) / sizeof(Line);
}

/// The memory for a sort of n items by numbers, in lines.
struct RecordLayout {
  std::size_t half, index, rest;

  /// `sort_bytes`: what the library needs, if it does not allocate that itself.
  RecordLayout(std::size_t n, std::size_t number_bytes, std::size_t item_bytes,
               std::size_t sort_bytes)
      : half(detail::lines_of(n * std::min<std::size_t>(number_bytes, 8))),
        index(number_bytes > 8 ? 2 * half : half),
        rest(index + detail::lines_of(n * sizeof(std::uint32_t))),
        lines_(rest + std::max(detail::lines_of(n * item_bytes), detail::lines_of(sort_bytes))) {}
  std::size_t lines() const { return lines_; }

 private:
  std::size_t lines_;
};

/// What the library needs to sort numbers with an index.
inline std::size_t number_sort_bytes(std::size_t n, std::size_t number_bytes,
                                     const Options& options) {
  const sortlab_options given = detail::options_of(options, nullptr);
  const int type = number_bytes <= 4 ? SORTLAB_TYPE_U32 : SORTLAB_TYPE_U64;
  return ::sortlab_scratch_bytes(n, type, sizeof(std::uint32_t), &given);
}

/// What the caller's scratch memory must have, with room for its alignment.
inline std::size_t record_scratch_bytes(std::size_t n, std::size_t number_bytes,
                                        std::size_t item_bytes, const Options& options) {
  const std::size_t sort_bytes = detail::number_sort_bytes(n, number_bytes, options);
  return (RecordLayout(n, number_bytes, item_bytes, sort_bytes).lines() + 1) * sizeof(Line);
}

/// Calls work(first, last) for parts of n items of type T, on several threads if these are free.
template <class T, class Work>
void for_parts(std::size_t n, int threads, Work work) {
  const auto slots = static_cast<std::size_t>(detail::threads_for<T>(n, threads));
  if (slots == 1) return work(std::size_t{0}, n);
  Failure failure;
  detail::on_team(static_cast<int>(slots), [&](int slot) {
    const auto at = static_cast<std::size_t>(slot);
    try {
      work(n * at / slots, n * (at + 1) / slots);
    } catch (...) {
      failure.keep();
    }
  });
  failure.rethrow();
}

/// Moves items[order[i]] to items[i]. `buffer`: raw memory for n items.
template <class T>
void permute(T* items, T* buffer, const std::uint32_t* order, std::size_t n, int threads) {
  detail::for_parts<T>(n, threads, [=](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      std::construct_at(buffer + i, std::move(items[order[i]]));
    }
  });
  detail::for_parts<T>(n, threads, [=](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      items[i] = std::move(buffer[i]);
      std::destroy_at(buffer + i);
    }
  });
}

template <class T, class Projection>
void sort_records(T* items, std::size_t n, const ItemNumber<T, Projection>& number_of,
                  const Options& options, sortlab_sorter* sorter) {
  using Number = typename ItemNumber<T, Projection>::Number;
  using Half = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;
  const bool is_memory_given = !options.scratch.empty() || sorter != nullptr;
  Options ascending{.threads = options.threads};
  const RecordLayout layout(
      n, sizeof(Number), sizeof(T),
      is_memory_given ? detail::number_sort_bytes(n, sizeof(Number), ascending) : 0);

  const std::unique_ptr<sortlab_sorter, decltype(&sortlab_sorter_destroy)> own(
      is_memory_given ? nullptr : ::sortlab_sorter_create(), &::sortlab_sorter_destroy);
  if (!is_memory_given && !own) throw std::bad_alloc();
  const Buffer<Line> memory(layout.lines(), options, is_memory_given ? sorter : own.get());
  Line* const lines = memory.items();
  auto* const low = reinterpret_cast<Half*>(lines);
  auto* const high = reinterpret_cast<Half*>(lines + layout.half);  // of numbers of 16 bytes
  auto* const index = reinterpret_cast<std::uint32_t*>(lines + layout.index);
  if (is_memory_given) {
    ascending.scratch = {lines[layout.rest].bytes, (layout.lines() - layout.rest) * sizeof(Line)};
  }

  detail::for_parts<T>(n, options.threads, [=, &number_of](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Number number = number_of(items[i]);
      low[i] = static_cast<Half>(number);
      if constexpr (sizeof(Number) > sizeof(Half)) high[i] = static_cast<Half>(number >> 64);
      index[i] = static_cast<std::uint32_t>(i);
    }
  });
  detail::sort_pairs(low, index, n, ascending, nullptr);
  if constexpr (sizeof(Number) > sizeof(Half)) {
    detail::for_parts<T>(n, options.threads, [=](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) low[i] = high[index[i]];
    });
    detail::sort_pairs(low, index, n, ascending, nullptr);
  }
  detail::permute(items, reinterpret_cast<T*>(lines + layout.rest), index, n, options.threads);
}

/// The order of keys that have no comparison: as sort(keys) has it. Other results of projections: operator<.
struct ByKey : std::less<> {};

/// Compares the projections of items.
template <class T, class Less, class Projection, bool kReversed>
struct Projected {
  Less& less;
  Projection& projection;

  bool operator()(const T& a, const T& b) const {
    T &first = const_cast<T&>(kReversed ? b : a), &second = const_cast<T&>(kReversed ? a : b);
    return static_cast<bool>(
        std::invoke(less, std::invoke(projection, first), std::invoke(projection, second)));
  }
};

template <class T, class Less, class Projection>
void sort_projected(T* items, std::size_t n, Less& less, Projection& projection,
                    const Options& options, sortlab_sorter* sorter) {
  using K = std::remove_cvref_t<std::invoke_result_t<Projection&, T&>>;
  constexpr bool kIsByKey = std::is_same_v<Less, ByKey>;
  constexpr std::size_t kBytes = kNumberBytes<K>;
  const bool descends = options.order == Order::descending;
  if constexpr (kBytes > 0 && kBytes <= 16 &&
                (kIsByKey || kNamesLess<K, Less> || kNamesGreater<K, Less>)) {
    Options known = options;
    known.order = kNamesGreater<K, Less> == descends ? Order::ascending : Order::descending;
    const ItemNumber<T, Projection> number_of{projection, known,
                                              kIsByKey ? Equal::by_bits : Equal::by_value};
    if constexpr (kMovesSafely<T> && alignof(T) <= alignof(Line)) {
      if (n >= kFewRecords && n <= UINT32_MAX) {
        return detail::sort_records(items, n, number_of, options, sorter);
      }
    }
    const auto is_before = [&](const T& a, const T& b) { return number_of(a) < number_of(b); };
    return detail::sort_items_by(items, n, is_before, options, sorter);
  } else if (descends) {
    detail::sort_items_by(items, n, Projected<T, Less, Projection, true>{less, projection}, options,
                          sorter);
  } else {
    detail::sort_items_by(items, n, Projected<T, Less, Projection, false>{less, projection},
                          options, sorter);
  }
}

}  // namespace sortlab::detail
