// Checks the order of the input: input in order or in reverse order need not be sorted.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "cpu/primitives/parallel.hpp"
#include "cpu/primitives/simple_sorts.hpp"
#include "cpu/radix/msd/counting.hpp"
#include "cpu/radix/msd/leaf.hpp"

namespace sortlab::cpu::radix::msd {

/// The possible results of this check.
enum class Sequence { ascending, descending, neither };

/// Whether keys[first, last) are in order, or in strictly reverse order, so that reversing them is
/// stable. Stops once neither is possible.
template <class Job>
Sequence look_at(const typename Job::Key* keys, std::size_t first, std::size_t last) {
  const typename Job::Less less;
  bool ascending = true, descending = true;
  for (std::size_t i = first + 1; i < last && (ascending || descending); i += kBlockItems) {
    const std::size_t end = std::min(i + kBlockItems, last);
    std::size_t descents = 0;
    for (std::size_t k = i; k < end; ++k) descents += less(keys[k], keys[k - 1]);
    ascending = ascending && descents == 0;
    descending = descending && descents == end - i;
  }
  return ascending ? Sequence::ascending : descending ? Sequence::descending : Sequence::neither;
}

template <class Job>
[[gnu::noinline]] Sequence look_at_all(const Job& job, int threads) {
  std::atomic<int> ascending = 0, descending = 0;
  on_all_threads(threads, [&](int t) {
    // Chunks overlap by one key, so that the pair on their border is compared too.
    const std::size_t first = chunk_begin(job.n, threads, t);
    const std::size_t last = std::min(job.n, chunk_begin(job.n, threads, t + 1) + 1);
    const Sequence sequence = look_at<Job>(job.data.keys, first, last);
    ascending += sequence == Sequence::ascending;
    descending += sequence == Sequence::descending;
  });
  return ascending == threads    ? Sequence::ascending
         : descending == threads ? Sequence::descending
                                 : Sequence::neither;
}

/// Not inlined, so that it does not lengthen the code path of other input.
template <class Job>
[[gnu::noinline]] void turn_round(const Job& job, int threads) {
  const auto swap_some = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) job.data.swap(i, job.n - 1 - i);
  };
  primitives::parallel::for_each_chunk(job.n / 2, threads, swap_some);
}

/// Sorts input that needs no radix sort: few items, and items in order or in reverse order. Returns
/// whether it did.
template <class Job>
bool sort_at_a_look(const Job& job, int threads) {
  if (job.n <= kInsertionItems) {
    insertion_sort(job.data, 0, job.n, typename Job::Less{});
    return true;
  }
  const Sequence sequence = look_at_all(job, threads);
  if (sequence == Sequence::descending) turn_round(job, threads);
  return sequence != Sequence::neither;
}

}  // namespace sortlab::cpu::radix::msd
