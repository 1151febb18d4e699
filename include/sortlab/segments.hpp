// Sorts of many segments of one array, each for itself, in one call. See docs/segments.md.
//
//     std::vector<float> rows(1000 * 8);
//     sortlab::sort_rows(rows, 8);                       // 1000 rows of 8
//     std::vector<std::int64_t> offsets{0, 3, 3, 8000};
//     sortlab::segmented_sort(rows, offsets);            // 3 segments, the second of them empty
//
// The options and errors of sort.hpp hold: a call throws std::invalid_argument for offsets that fall or go beyond the
// keys, and changes nothing.
#pragma once

#include <sortlab/segments.h>

#include <sortlab/sort.hpp>

namespace sortlab {

/// A contiguous range of offsets: integers of 4 or 8 bytes.
template <class R>
concept OffsetRange = std::ranges::contiguous_range<R> &&
    std::integral<std::ranges::range_value_t<R> > &&
    (sizeof(std::ranges::range_value_t<R>) == 4 || sizeof(std::ranges::range_value_t<R>) == 8);

namespace detail {

/// Rows of `columns` items, without gaps.
inline sortlab_segments rows_of(std::size_t n, std::size_t columns) {
  if (columns == 0 ? n != 0 : n % columns != 0) {
    throw std::invalid_argument("sortlab: not a whole number of rows");
  }
  sortlab_segments rows{};
  rows.size = sizeof rows;
  rows.count = columns == 0 ? 0 : n / columns;
  rows.stride = rows.length = columns;
  return rows;
}

/// count + 1 offsets.
template <OffsetRange R>
sortlab_segments segments_of(const R& offsets) {
  using Offset = std::ranges::range_value_t<R>;
  sortlab_segments segments{};
  segments.size = sizeof segments;
  segments.offset_bytes = sizeof(Offset);
  const std::size_t numbers = size_of(offsets);
  if (numbers == 0) throw std::invalid_argument("sortlab: one offset more than segments is needed");
  segments.count = numbers - 1;
  segments.begins = std::ranges::data(offsets);
  segments.ends = std::ranges::data(offsets) + 1;
  return segments;
}

template <class K>
void sort_segments(K&& keys, const sortlab_segments& segments, const Options& options) {
  using Item = std::ranges::range_value_t<K>;
  const sortlab_options given = options_of(options, nullptr);
  check(::sortlab_segmented_sort(std::ranges::data(keys), size_of(keys), type_of<Item>(), &segments,
                                 &given));
}
template <class K, class V>
void sort_segments(K&& keys, V&& values, const sortlab_segments& segments, const Options& options) {
  check_sizes(size_of(keys), size_of(values));
  const sortlab_options given = options_of(options, nullptr);
  check(::sortlab_segmented_sort_pairs(std::ranges::data(keys), std::ranges::data(values),
                                       size_of(keys), type_of<std::ranges::range_value_t<K> >(),
                                       sizeof(std::ranges::range_value_t<V>), &segments, &given));
}
template <class K, class I>
void argsort_segments(const K& keys, I&& order, const sortlab_segments& segments,
                      const Options& options) {
  check_sizes(size_of(keys), size_of(order));
  const sortlab_options given = options_of(options, nullptr);
  check(::sortlab_segmented_argsort(std::ranges::data(keys), std::ranges::data(order),
                                    size_of(keys), type_of<std::ranges::range_value_t<K> >(),
                                    sizeof(std::ranges::range_value_t<I>), &segments, &given));
}

}  // namespace detail

/// Sorts each row of `columns` keys.
template <KeyRange K>
void sort_rows(K&& keys, std::size_t columns, const Options& options = {}) {
  detail::sort_segments(keys, detail::rows_of(detail::size_of(keys), columns), options);
}
/// The same with values, as sort_by_key() does.
template <KeyRange K, ValueRange V>
void sort_rows_by_key(K&& keys, V&& values, std::size_t columns, const Options& options = {}) {
  detail::sort_segments(keys, values, detail::rows_of(detail::size_of(keys), columns), options);
}
/// Writes, for each row, the column of the i-th key in sorted order to order[i] of the row.
template <std::ranges::contiguous_range K, IndexRange I>
requires Key<std::ranges::range_value_t<K> >
void argsort_rows(const K& keys, I&& order, std::size_t columns, const Options& options = {}) {
  detail::argsort_segments(keys, order, detail::rows_of(detail::size_of(keys), columns), options);
}

/// Sorts each segment. Segment s is [offsets[s], offsets[s + 1]).
template <KeyRange K, OffsetRange O>
void segmented_sort(K&& keys, const O& offsets, const Options& options = {}) {
  detail::sort_segments(keys, detail::segments_of(offsets), options);
}
/// The same with values, as sort_by_key() does.
template <KeyRange K, ValueRange V, OffsetRange O>
void segmented_sort_by_key(K&& keys, V&& values, const O& offsets, const Options& options = {}) {
  detail::sort_segments(keys, values, detail::segments_of(offsets), options);
}
/// Writes the place in its segment of the i-th key in sorted order to order[offsets[s] + i].
template <std::ranges::contiguous_range K, IndexRange I, OffsetRange O>
requires Key<std::ranges::range_value_t<K> >
void segmented_argsort(const K& keys, I&& order, const O& offsets, const Options& options = {}) {
  detail::argsort_segments(keys, order, detail::segments_of(offsets), options);
}

}  // namespace sortlab
