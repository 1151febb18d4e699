// sortlab's sorts for the CPU.
//
//   std::vector<std::uint64_t> keys = ...;
//   sortlab::sort(keys);
//   sortlab::sort(keys, {.order = sortlab::Order::descending});
//   sortlab::sort_by_key(keys, values);
//   sortlab::sort(people, &Person::age);
//   sortlab::sort(people, [&](const Person& a, const Person& b) { return a.age < b.age; });
//
// Ranges are contiguous: std::vector, std::span, std::array, arrays. Each result is in the caller's
// buffer. Errors: std::bad_alloc; std::invalid_argument for sizes that disagree and for scratch
// memory that is too small; exceptions of a comparison or a projection. docs/library.md has all details.
#pragma once

#if __cplusplus < 202002L
  #error "sortlab/sort.hpp needs C++20: -std=c++20"
#elif !defined(__cpp_exceptions)
  #error "sortlab/sort.hpp needs exceptions; sortlab/sortlab.h, in C, works with -fno-exceptions"
#else

  #include <sortlab/sortlab.h>
  #include <sortlab/detail/calls.hpp>
  #include <sortlab/detail/records.hpp>
  #include <sortlab/options.hpp>

  #include <algorithm>
  #include <concepts>
  #include <cstddef>
  #include <functional>
  #include <iterator>
  #include <memory>
  #include <new>
  #include <ranges>
  #include <span>
  #include <stdexcept>
  #include <type_traits>
  #include <utility>

namespace sortlab {

/// A contiguous, writable range of items.
template <class R>
concept ItemRange = std::ranges::contiguous_range<R> && std::ranges::sized_range<R> &&
    !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<R> > >;

/// A contiguous, writable range of keys.
template <class R>
concept KeyRange = ItemRange<R> && Key<std::ranges::range_value_t<R> >;

/// A contiguous range of values that move with keys: any type that memcpy may copy.
template <class R>
concept ValueRange = ItemRange<R> && std::is_trivially_copyable_v<std::ranges::range_value_t<R> >;

/// A contiguous range of indices: integers of 4 or 8 bytes.
template <class R>
concept IndexRange = ItemRange<R> && std::is_integral_v<std::ranges::range_value_t<R> > &&
                     sizeof(std::ranges::range_value_t<R>) >= 4;

/// An iterator into a contiguous, writable range of items.
template <class I>
concept ItemIterator = std::contiguous_iterator<I> &&
    !std::is_const_v<std::remove_reference_t<std::iter_reference_t<I> > >;

/// A comparison of items: a strict weak order, which may hold state, or a pointer to a member function. Several
/// threads call it concurrently, unless Options::threads is 1.
template <class Less, class T>
concept Comparison = std::strict_weak_order<Less&, T&, T&>;

/// Items with an operator<, other than floats that are no keys: it does not order their NaNs.
template <class T>
concept Ordered = !std::is_floating_point_v<T> && Comparison<std::less<>, T>;

/// A contiguous, writable range of items that need no comparison: keys, or ordered ones.
template <class R>
concept SortableRange = ItemRange<R> &&
    (Key<std::ranges::range_value_t<R> > || Ordered<std::ranges::range_value_t<R> >);

/// What std::invoke calls with an item: a pointer to a member or a function, for example. Several threads call it
/// concurrently, unless Options::threads is 1.
template <class P, class T>
concept Projection = std::regular_invocable<P&, T&> &&
    !std::is_void_v<std::remove_cvref_t<std::invoke_result_t<P&, T&> > >;

/// A projection to a key, a tuple of keys, or anything else with an order of its own.
template <class P, class T>
concept KeyProjection = Projection<P, T> &&
    (detail::kNumberBytes<std::remove_cvref_t<std::invoke_result_t<P&, T&> > > != 0 ||
     Ordered<std::remove_cvref_t<std::invoke_result_t<P&, T&> > >);

/// By what items of type T are sorted: a comparison of them, or a projection.
template <class By, class T>
concept Criterion = Comparison<By, T> || KeyProjection<By, T>;

/// A comparison of what a projection returns.
template <class Less, class P, class T>
concept ProjectedComparison = Projection<P, T> &&
    std::strict_weak_order<Less&, std::invoke_result_t<P&, T&>, std::invoke_result_t<P&, T&> >;

namespace detail {

inline void check_sizes(std::size_t one, std::size_t other) {
  if (one != other) throw std::invalid_argument("sortlab: ranges of two sizes");
}

template <class R>
std::size_t size_of(const R& range) {
  return static_cast<std::size_t>(std::ranges::size(range));
}

/// The calls, with or without a sorter.
struct Calls {
  sortlab_sorter* sorter = nullptr;

  template <SortableRange R>
  void sort(R&& items, const Options& options) const {
    if constexpr (Key<std::ranges::range_value_t<R> >) {
      detail::sort_keys(std::ranges::data(items), detail::size_of(items), options, sorter);
    } else {
      std::less<> less;
      sort(items, less, options);
    }
  }
  template <ItemRange R, class By>
  void sort(R&& items, By& by, const Options& options) const {
    if constexpr (Comparison<By, std::ranges::range_value_t<R> >) {
      detail::sort_items(std::ranges::data(items), detail::size_of(items), by, options, sorter);
    } else {
      detail::ByKey less;
      sort(items, less, by, options);
    }
  }
  template <ItemRange R, class Less, class P>
  void sort(R&& items, Less& less, P& projection, const Options& options) const {
    detail::sort_projected(std::ranges::data(items), detail::size_of(items), less, projection,
                           options, sorter);
  }
  template <KeyRange K, ValueRange V>
  void sort_by_key(K&& keys, V&& values, const Options& options) const {
    detail::check_sizes(detail::size_of(keys), detail::size_of(values));
    detail::sort_pairs(std::ranges::data(keys), std::ranges::data(values), detail::size_of(keys),
                       options, sorter);
  }
  template <std::ranges::contiguous_range K, IndexRange I>
  void argsort(const K& keys, I&& order, const Options& options) const {
    detail::check_sizes(detail::size_of(keys), detail::size_of(order));
    detail::sort_indices(std::ranges::data(keys), std::ranges::data(order), detail::size_of(keys),
                         options, sorter);
  }
};

template <class I>
std::span<std::iter_value_t<I> > span_of(I first, I last) {
  return {std::to_address(first), static_cast<std::size_t>(last - first)};
}

inline Options stable(Options options) {
  options.stable = true;
  return options;
}

}  // namespace detail

/// Sorts keys; other items by their operator<, as by std::less<>.
template <SortableRange R>
void sort(R&& items, const Options& options = {}) {
  detail::Calls{}.sort(items, options);
}

/// Sorts any items by a comparison (with Order::descending by its reverse). One thread uses std::sort or
/// std::stable_sort; several sort chunks with these and merge, which takes a second buffer. Keys by
/// std::less or std::greater are sorted as keys. If the comparison throws, all items in the range are
/// valid, but unspecified, as with std::sort.
///
/// Or by a projection, such as a pointer to a member. Keys, and tuples of keys of at most 16 bytes, are sorted
/// as sort(keys) would sort them, and each item then moves once; the memory for this is the keys, an index and a
/// second buffer. Fewer than 32 items, items whose move may throw, and other projections are sorted by
/// comparisons of the projections. If the projection throws while it reads the keys, no item has moved.
template <ItemRange R, Criterion<std::ranges::range_value_t<R> > By>
void sort(R&& items, By by, const Options& options = {}) {
  detail::Calls{}.sort(items, by, options);
}

/// Sorts items by a comparison of their projections, as std::ranges::sort does. `{}` as `less` is std::less<>.
/// That and std::greater<> use the same sorts as a projection alone, but take -0 and +0 as equal.
template <ItemRange R, class Less = std::less<>, class P>
requires ProjectedComparison<Less, P, std::ranges::range_value_t<R> >
void sort(R&& items, Less less, P projection, const Options& options = {}) {
  detail::Calls{}.sort(items, less, projection, options);
}

/// Sorts keys and moves `values` with them, which must be as many as the keys. Values of equal keys
/// keep their order, unless Options::any_order allows any. Values of 4 bytes are the fastest; for others
/// an index is sorted, and then the values are gathered.
template <KeyRange K, ValueRange V>
void sort_by_key(K&& keys, V&& values, const Options& options = {}) {
  detail::Calls{}.sort_by_key(keys, values, options);
}

/// Writes the index of the i-th key in sorted order to order[i]; does not move the keys. Equal keys
/// are in the order of their indices, unless Options::any_order allows any.
template <std::ranges::contiguous_range K, IndexRange I>
requires Key<std::ranges::range_value_t<K> >
void argsort(const K& keys, I&& order, const Options& options = {}) {
  detail::Calls{}.argsort(keys, order, options);
}

/// Like sort(), but keeps the order of equal items.
template <SortableRange R>
void stable_sort(R&& items, const Options& options = {}) {
  detail::Calls{}.sort(items, detail::stable(options));
}
template <ItemRange R, Criterion<std::ranges::range_value_t<R> > By>
void stable_sort(R&& items, By by, const Options& options = {}) {
  detail::Calls{}.sort(items, by, detail::stable(options));
}
template <ItemRange R, class Less = std::less<>, class P>
requires ProjectedComparison<Less, P, std::ranges::range_value_t<R> >
void stable_sort(R&& items, Less less, P projection, const Options& options = {}) {
  detail::Calls{}.sort(items, less, projection, detail::stable(options));
}

/// The same for two iterators, like the standard's algorithms.
template <ItemIterator I>
requires SortableRange<std::span<std::iter_value_t<I> > >
void sort(I first, I last, const Options& options = {}) {
  detail::Calls{}.sort(detail::span_of(first, last), options);
}
template <ItemIterator I, Criterion<std::iter_value_t<I> > By>
void sort(I first, I last, By by, const Options& options = {}) {
  detail::Calls{}.sort(detail::span_of(first, last), by, options);
}
template <ItemIterator I, class Less = std::less<>, class P>
requires ProjectedComparison<Less, P, std::iter_value_t<I> >
void sort(I first, I last, Less less, P projection, const Options& options = {}) {
  detail::Calls{}.sort(detail::span_of(first, last), less, projection, options);
}
template <ItemIterator I>
requires SortableRange<std::span<std::iter_value_t<I> > >
void stable_sort(I first, I last, const Options& options = {}) {
  detail::Calls{}.sort(detail::span_of(first, last), detail::stable(options));
}
template <ItemIterator I, Criterion<std::iter_value_t<I> > By>
void stable_sort(I first, I last, By by, const Options& options = {}) {
  detail::Calls{}.sort(detail::span_of(first, last), by, detail::stable(options));
}
template <ItemIterator I, class Less = std::less<>, class P>
requires ProjectedComparison<Less, P, std::iter_value_t<I> >
void stable_sort(I first, I last, Less less, P projection, const Options& options = {}) {
  detail::Calls{}.sort(detail::span_of(first, last), less, projection, detail::stable(options));
}

template <ItemIterator K, ItemIterator V>
requires Key<std::iter_value_t<K> > && std::is_trivially_copyable_v<std::iter_value_t<V> >
void sort_by_key(K first, K last, V values, const Options& options = {}) {
  sortlab::sort_by_key(detail::span_of(first, last),
                       detail::span_of(values, values + (last - first)), options);
}

/// How many bytes Options::scratch must have for sort() of n keys, or for sort_by_key() with values of
/// type V.
template <Key K, class V = void>
std::size_t scratch_bytes(std::size_t n, const Options& options = {}) {
  const sortlab_options given = detail::options_of(options, nullptr);
  if constexpr (std::is_void_v<V>) {
    return ::sortlab_scratch_bytes(n, detail::type_of<K>(), 0, &given);
  } else {
    return ::sortlab_scratch_bytes(n, detail::type_of<K>(), sizeof(V), &given);
  }
}

/// The same for argsort().
template <Key K, class Index>
std::size_t argsort_scratch_bytes(std::size_t n, const Options& options = {}) {
  const sortlab_options given = detail::options_of(options, nullptr);
  return ::sortlab_argsort_scratch_bytes(n, detail::type_of<K>(), sizeof(Index), &given);
}

/// The same for sort() of n items of type T by a comparison.
template <class T>
constexpr std::size_t items_scratch_bytes(std::size_t n) {
  return n * sizeof(T) + alignof(T);
}
/// The same for sort() of n items of type T by a projection to a key, or to a tuple of keys.
template <class T, class K>
requires(detail::kNumberBytes<K> != 0) std::size_t
    items_scratch_bytes(std::size_t n, const Options& options = {}) {
  using Number = detail::NumberOf<detail::kNumberBytes<K> >;
  return std::max(sortlab::items_scratch_bytes<T>(n),
                  detail::record_scratch_bytes(n, sizeof(Number), sizeof(T), options));
}

/// Sorts repeatedly, and keeps the memory for this. One thread at a time may use it.
class Sorter {
 public:
  /// Throws std::bad_alloc.
  explicit Sorter(const Options& options = {})
      : options_(options), sorter_(::sortlab_sorter_create(), &sortlab_sorter_destroy) {
    if (!sorter_) throw std::bad_alloc();
  }

  template <SortableRange R>
  void sort(R&& items) {
    calls().sort(items, options_);
  }
  template <ItemRange R, Criterion<std::ranges::range_value_t<R> > By>
  void sort(R&& items, By by) {
    calls().sort(items, by, options_);
  }
  template <ItemRange R, class Less = std::less<>, class P>
  requires ProjectedComparison<Less, P, std::ranges::range_value_t<R> >
  void sort(R&& items, Less less, P projection) { calls().sort(items, less, projection, options_); }
  template <KeyRange K, ValueRange V>
  void sort_by_key(K&& keys, V&& values) {
    calls().sort_by_key(keys, values, options_);
  }
  template <std::ranges::contiguous_range K, IndexRange I>
  requires Key<std::ranges::range_value_t<K> >
  void argsort(const K& keys, I&& order) { calls().argsort(keys, order, options_); }

 private:
  detail::Calls calls() const { return {sorter_.get()}; }

  Options options_;
  std::unique_ptr<sortlab_sorter, decltype(&sortlab_sorter_destroy)> sorter_;
};

/// Sets the most threads of any call from now on; 0: as many as CPUs that the process may use.
/// sortlab/sortlab.h describes the library's threads. Throws std::invalid_argument for a negative
/// number.
inline void set_threads(int threads) { detail::check(::sortlab_set_threads(threads)); }

/// The limit, or the number of CPUs that the process may use.
inline int threads() { return ::sortlab_threads(); }

/// Ends the library's threads. The next sort starts new ones.
inline void end_threads() { ::sortlab_end_threads(); }

/// Sets how many bytes of memory the library keeps, at most, from large sorts for later ones, and
/// releases what it keeps; 0: none. sortlab/sortlab.h describes this memory.
inline void set_kept_memory(std::size_t bytes) { ::sortlab_set_kept_memory(bytes); }

/// How many bytes the library keeps now.
inline std::size_t kept_memory() { return ::sortlab_kept_memory(); }

/// Returns them to the system.
inline void release_memory() { ::sortlab_release_memory(); }

}  // namespace sortlab

#endif  // C++20 with exceptions
