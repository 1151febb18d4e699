// How the fast CPU sorts use threads. Nothing else in them starts one or waits for one, so that another
// team of threads can take the place of OpenMP's in this file alone.
//
//   on_all_threads   a step that every thread takes part in, with memory of its own
//   for_each_part    many parts of unequal work: a thread takes the next one when it is done
//   for_each_chunk   n items of equal work: one chunk for each thread
//
// Each of them returns when all threads are done. Then every thread sees what all have written.
#pragma once

#include <omp.h>

#include <cstddef>

namespace sortlab::cpu::primitives::parallel {

/// Where the chunk of thread t begins if n items are shared evenly.
constexpr std::size_t chunk_begin(std::size_t n, int threads, int t) {
  const auto crew = static_cast<std::size_t>(threads), me = static_cast<std::size_t>(t);
  return n / crew * me + n % crew * me / crew;
}

/// Calls step(t) for each thread t < threads, each on a thread of its own.
template <class Step>
void on_all_threads(int threads, Step step) {
  if (threads == 1) return step(0);  // in the middle of a parallel region, too
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t) step(t);
}

/// Calls work(i, t) for each i < count on some thread t < threads. The parts begin in their order.
template <class Index, class Work>
void for_each_part(Index count, int threads, Work work) {
  if (threads == 1) {
    for (Index i = 0; i < count; ++i) work(i, 0);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (Index i = 0; i < count; ++i) work(i, omp_get_thread_num());
}

/// Calls work(first, last) for the chunk of n items of each thread.
template <class Work>
void for_each_chunk(std::size_t n, int threads, Work work) {
  on_all_threads(threads,
                 [&](int t) { work(chunk_begin(n, threads, t), chunk_begin(n, threads, t + 1)); });
}

}  // namespace sortlab::cpu::primitives::parallel
