// The calls of sortlab/sort.hpp with an execution policy as first argument, like the standard's
// parallel algorithms.
//
//   sortlab::sort(std::execution::par, keys.begin(), keys.end());
//   sortlab::stable_sort(std::execution::seq, people, by_age);
//
// seq and unseq: the calling thread alone. par and par_unseq: as many threads as Options::threads says.
// Exceptions of a comparison are passed on, while the standard's algorithms would end the program.
//
// It is a separate header, because libstdc++'s <execution> includes oneTBB's headers if they are
// installed, and then needs -ltbb unless -D_GLIBCXX_USE_TBB_PAR_BACKEND=0 is set. sortlab uses
// neither.
#pragma once

#include <sortlab/sort.hpp>

#if __cplusplus >= 202002L && defined(__cpp_exceptions)  // otherwise sort.hpp has said why not

  #include <execution>
  #include <functional>
  #include <span>
  #include <type_traits>
  #include <utility>

namespace sortlab {

template <class P>
concept ExecutionPolicy = std::is_execution_policy_v<std::remove_cvref_t<P>>;

namespace detail {

template <ExecutionPolicy P>
Options options_for(Options options) {
  using Policy = std::remove_cvref_t<P>;
  constexpr bool takes_threads =
      std::is_same_v<Policy, std::execution::parallel_policy> ||
      std::is_same_v<Policy, std::execution::parallel_unsequenced_policy>;
  if (!takes_threads) options.threads = 1;
  return options;
}

}  // namespace detail

template <ExecutionPolicy P, SortableRange R>
void sort(P&&, R&& items, const Options& options = {}) {
  sortlab::sort(items, detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemRange R, Criterion<std::ranges::range_value_t<R>> By>
void sort(P&&, R&& items, By by, const Options& options = {}) {
  sortlab::sort(items, std::move(by), detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemRange R, class Less = std::less<>, class Proj>
requires ProjectedComparison<Less, Proj, std::ranges::range_value_t<R>>
void sort(P&&, R&& items, Less less, Proj projection, const Options& options = {}) {
  sortlab::sort(items, std::move(less), std::move(projection), detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemIterator I>
requires SortableRange<std::span<std::iter_value_t<I>>>
void sort(P&&, I first, I last, const Options& options = {}) {
  sortlab::sort(first, last, detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemIterator I, Criterion<std::iter_value_t<I>> By>
void sort(P&&, I first, I last, By by, const Options& options = {}) {
  sortlab::sort(first, last, std::move(by), detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemIterator I, class Less = std::less<>, class Proj>
requires ProjectedComparison<Less, Proj, std::iter_value_t<I>>
void sort(P&&, I first, I last, Less less, Proj projection, const Options& options = {}) {
  sortlab::sort(first, last, std::move(less), std::move(projection),
                detail::options_for<P>(options));
}

template <ExecutionPolicy P, SortableRange R>
void stable_sort(P&&, R&& items, const Options& options = {}) {
  sortlab::stable_sort(items, detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemRange R, Criterion<std::ranges::range_value_t<R>> By>
void stable_sort(P&&, R&& items, By by, const Options& options = {}) {
  sortlab::stable_sort(items, std::move(by), detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemRange R, class Less = std::less<>, class Proj>
requires ProjectedComparison<Less, Proj, std::ranges::range_value_t<R>>
void stable_sort(P&&, R&& items, Less less, Proj projection, const Options& options = {}) {
  sortlab::stable_sort(items, std::move(less), std::move(projection),
                       detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemIterator I>
requires SortableRange<std::span<std::iter_value_t<I>>>
void stable_sort(P&&, I first, I last, const Options& options = {}) {
  sortlab::stable_sort(first, last, detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemIterator I, Criterion<std::iter_value_t<I>> By>
void stable_sort(P&&, I first, I last, By by, const Options& options = {}) {
  sortlab::stable_sort(first, last, std::move(by), detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemIterator I, class Less = std::less<>, class Proj>
requires ProjectedComparison<Less, Proj, std::iter_value_t<I>>
void stable_sort(P&&, I first, I last, Less less, Proj projection, const Options& options = {}) {
  sortlab::stable_sort(first, last, std::move(less), std::move(projection),
                       detail::options_for<P>(options));
}

template <ExecutionPolicy P, KeyRange K, ValueRange V>
void sort_by_key(P&&, K&& keys, V&& values, const Options& options = {}) {
  sortlab::sort_by_key(keys, values, detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemIterator K, ItemIterator V>
requires Key<std::iter_value_t<K>> && std::is_trivially_copyable_v<std::iter_value_t<V>>
void sort_by_key(P&&, K first, K last, V values, const Options& options = {}) {
  sortlab::sort_by_key(first, last, values, detail::options_for<P>(options));
}

}  // namespace sortlab

#endif
