// The best keys of an array or of rows, without a sort of the rest. See docs/top_k.md.
//
//     std::vector<float> scores(1000), best(10);
//     std::vector<std::uint32_t> places(10);
//     sortlab::top_k(scores, 10, best, places, {.order = sortlab::Order::descending});   // the largest
//     sortlab::partial_sort(scores, 10);                     // the smallest 10 to the front, in order
//     sortlab::nth_element(scores, 500);                     // the median to its place
//     sortlab::argpartition(scores, 500, order);             // the places of the keys in such an order
//
// The errors of sort.hpp hold. A call that throws changes nothing.
#pragma once

#include <sortlab/top_k.h>

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <sortlab/sort.hpp>
#include <span>
#include <stdexcept>

namespace sortlab {

/// Options of top_k() and top_k_rows().
struct TopKOptions {
  /// Ascending: the smallest keys are the best ones. Descending: the largest.
  Order order = Order::ascending;
  /// As for sorts. -0 is before +0.
  Floats floats = Floats::total_order;
  /// All NaNs are better than numbers, in both orders, whatever `floats` says.
  bool nans_first = false;
  /// The best come first. Else in any order, which may be faster.
  bool sorted = true;
  /// Of equal keys, those in the first places. With `sorted` these come in their order.
  bool first = false;
  /// For each row its own k, of which the call's is the upper bound. Empty: that one.
  std::span<const std::uint32_t> ks = {};
  /// As in Options.
  int threads = 0;
  std::span<std::byte> scratch = {};
};

/// Where the places of the best are not wanted, or the best themselves.
struct NotWanted {};
inline constexpr NotWanted not_wanted;

namespace detail {

template <class R>
inline constexpr bool kIsWanted = !std::is_same_v<std::remove_cvref_t<R>, NotWanted>;

/// The address of a range that has `n` items; null where it is not wanted.
template <class R>
void* result_of(R&& range, std::size_t n) {
  if constexpr (kIsWanted<R>) {
    if (detail::size_of(range) < n) throw std::invalid_argument("sortlab: no room for the best k");
    return std::ranges::data(range);
  } else {
    return nullptr;
  }
}

/// What a call is about, for the C interface. It refers to `ks` of the options.
struct TopKArguments {
  sortlab_rows rows{};
  sortlab_top top{};
  sortlab_options options;

  TopKArguments(std::size_t count, std::size_t columns, std::size_t k, const TopKOptions& given)
      : options(detail::options_of({.order = given.order,
                                    .floats = given.floats,
                                    .threads = given.threads,
                                    .scratch = given.scratch},
                                   nullptr)) {
    rows.size = sizeof rows;
    rows.count = count;
    rows.length = rows.stride = columns;
    top.size = sizeof top;
    top.k = k;
    top.ks = given.ks.empty() ? nullptr : given.ks.data();
    top.sorted = given.sorted ? 1 : 0;
    top.first = given.first ? 1 : 0;
    top.nans_first = given.nans_first ? 1 : 0;
  }
};

template <class K, class B, class P>
void top_k(const K& keys, std::size_t rows, std::size_t columns, std::size_t k, B&& best,
           P&& places, const TopKOptions& options) {
  if (!options.ks.empty()) detail::check_sizes(options.ks.size(), rows);
  const std::size_t found = rows * (k < columns ? k : columns);
  std::size_t place_bytes = sizeof(std::uint32_t);
  if constexpr (kIsWanted<P>) place_bytes = sizeof(std::ranges::range_value_t<P>);
  void *const to = detail::result_of(best, found), *const to_places =
                                                       detail::result_of(places, found);
  const TopKArguments given(rows, columns, k, options);
  detail::check(::sortlab_top_k(std::ranges::data(keys),
                                detail::type_of<std::ranges::range_value_t<K> >(), &given.rows,
                                &given.top, to, to_places, place_bytes, &given.options));
}

}  // namespace detail

/// A range for the best keys, of the keys' type; or not_wanted.
template <class B, class K>
concept BestRange =
    !detail::kIsWanted<B> ||
    (ItemRange<B> && std::is_same_v<std::ranges::range_value_t<B>, std::ranges::range_value_t<K> >);

/// A range for places; or not_wanted.
template <class P>
concept PlaceRange = !detail::kIsWanted<P> || IndexRange<P>;

/// Brings the key that sorting would bring to place k there, those that come before it to its left, the others to its
/// right. With k of the keys' number or more any arrangement will do.
template <KeyRange K>
void nth_element(K&& keys, std::size_t k, const Options& options = {}) {
  const sortlab_options given = detail::options_of(options, nullptr);
  detail::check(::sortlab_nth_element(std::ranges::data(keys), detail::size_of(keys),
                                      detail::type_of<std::ranges::range_value_t<K> >(), k,
                                      &given));
}

/// Writes the places of the keys, from 0, in such an order that the keys would be as nth_element() arranges them.
template <std::ranges::contiguous_range K, IndexRange O>
requires Key<std::ranges::range_value_t<K> >
void argpartition(const K& keys, std::size_t k, O&& order, const Options& options = {}) {
  detail::check_sizes(detail::size_of(keys), detail::size_of(order));
  const sortlab_options given = detail::options_of(options, nullptr);
  detail::check(::sortlab_argpartition(std::ranges::data(keys), std::ranges::data(order),
                                       detail::size_of(keys),
                                       detail::type_of<std::ranges::range_value_t<K> >(), k,
                                       sizeof(std::ranges::range_value_t<O>), &given));
}

/// How many bytes Options::scratch must have for argpartition() of n keys of type K with places of type Index.
template <Key K, class Index>
std::size_t argpartition_scratch_bytes(std::size_t n, const Options& options = {}) {
  const sortlab_options given = detail::options_of(options, nullptr);
  return ::sortlab_argpartition_scratch_bytes(n, detail::type_of<K>(), sizeof(Index), &given);
}

/// Brings the first k keys in sorted order to the front; the others follow in any order.
template <KeyRange K>
void partial_sort(K&& keys, std::size_t k, const Options& options = {}) {
  const sortlab_options given = detail::options_of(options, nullptr);
  detail::check(::sortlab_partial_sort(std::ranges::data(keys), detail::size_of(keys),
                                       detail::type_of<std::ranges::range_value_t<K> >(), k,
                                       &given));
}

/// Writes the best k keys to `best` and their places, from 0, to `places`; all of fewer keys. One of the two
/// may be not_wanted. The keys stay as they are.
template <std::ranges::contiguous_range K, BestRange<K> B, PlaceRange P>
requires Key<std::ranges::range_value_t<K> >
void top_k(const K& keys, std::size_t k, B&& best, P&& places, const TopKOptions& options = {}) {
  detail::top_k(keys, 1, detail::size_of(keys), k, best, places, options);
}

/// The same for each row of `columns` keys. Those of row r begin at r * min(k, columns).
template <std::ranges::contiguous_range K, BestRange<K> B, PlaceRange P>
requires Key<std::ranges::range_value_t<K> >
void top_k_rows(const K& keys, std::size_t columns, std::size_t k, B&& best, P&& places,
                const TopKOptions& options = {}) {
  const std::size_t n = detail::size_of(keys);
  if (columns == 0 ? n != 0 : n % columns != 0) {
    throw std::invalid_argument("sortlab: not a whole number of rows");
  }
  detail::top_k(keys, columns == 0 ? 0 : n / columns, columns, k, best, places, options);
}

/// How many bytes TopKOptions::scratch must have for top_k_rows() of keys of type K with places of type Place, whichever of
/// the two results are wanted. One row: for top_k().
template <Key K, class Place = std::uint32_t>
std::size_t top_k_scratch_bytes(std::size_t rows, std::size_t columns, std::size_t k,
                                const TopKOptions& options = {}) {
  const detail::TopKArguments given(rows, columns, k, options);
  return ::sortlab_top_k_scratch_bytes(detail::type_of<K>(), &given.rows, &given.top, sizeof(Place),
                                       &given.options);
}

}  // namespace sortlab
