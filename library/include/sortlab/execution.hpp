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
  #include <type_traits>

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

template <ExecutionPolicy P, KeyRange R>
void sort(P&&, R&& keys, const Options& options = {}) {
  sortlab::sort(keys, detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemRange R, Comparison<std::ranges::range_value_t<R>> Less>
void sort(P&&, R&& items, Less less, const Options& options = {}) {
  sortlab::sort(items, std::move(less), detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemIterator I>
requires Key<std::iter_value_t<I>>
void sort(P&&, I first, I last, const Options& options = {}) {
  sortlab::sort(first, last, detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemIterator I, Comparison<std::iter_value_t<I>> Less>
void sort(P&&, I first, I last, Less less, const Options& options = {}) {
  sortlab::sort(first, last, std::move(less), detail::options_for<P>(options));
}

template <ExecutionPolicy P, KeyRange R>
void stable_sort(P&&, R&& keys, const Options& options = {}) {
  sortlab::stable_sort(keys, detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemRange R, Comparison<std::ranges::range_value_t<R>> Less>
void stable_sort(P&&, R&& items, Less less, const Options& options = {}) {
  sortlab::stable_sort(items, std::move(less), detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemIterator I>
requires Key<std::iter_value_t<I>>
void stable_sort(P&&, I first, I last, const Options& options = {}) {
  sortlab::stable_sort(first, last, detail::options_for<P>(options));
}
template <ExecutionPolicy P, ItemIterator I, Comparison<std::iter_value_t<I>> Less>
void stable_sort(P&&, I first, I last, Less less, const Options& options = {}) {
  sortlab::stable_sort(first, last, std::move(less), detail::options_for<P>(options));
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
