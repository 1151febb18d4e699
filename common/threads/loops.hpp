// Parallel loops on the process's team of threads (team.hpp).
//
//   on_all_threads   a step for each of a number of threads, with memory of its own
//   for_each_part    many parts of unequal work: a thread that is done takes the next one
//   for_each_chunk   n items of equal work: one chunk for each thread
//
// Each of them returns when all work is done. Then the caller sees all results. No work waits for
// other work: if fewer threads come than requested, they do all of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "common/threads/team.hpp"

namespace sortlab::threads {

/// Where the chunk of thread t begins if n items are shared evenly.
constexpr std::size_t chunk_begin(std::size_t n, int threads, int t) {
  const auto crew = static_cast<std::size_t>(threads), me = static_cast<std::size_t>(t);
  return n / crew * me + n % crew * me / crew;
}

namespace detail {

/// Calls work(t) for each t < threads.
template <class Work>
void run_region(int threads, Work& work) {
  team::run(
      threads, [](void* context, int slot) { (*static_cast<Work*>(context))(slot); }, &work);
}

}  // namespace detail

/// Calls work(i, t) for each i < count on some thread t < threads. The parts begin in their order.
template <class Index, class Work>
void for_each_part(Index count, int threads, Work work) {
  if (threads == 1) {
    for (Index i = 0; i < count; ++i) work(i, 0);
    return;
  }
  alignas(64) std::atomic<Index> next{0};
  auto take_parts = [&](int t) {
    if (next.load(std::memory_order_relaxed) >= count) return;
    for (Index i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) work(i, t);
  };
  detail::run_region(std::min(threads, team::kMostSlots), take_parts);
}

/// Calls step(t) once for each t < threads. A thread of the team takes the same step in each
/// region, unless it comes too late, so that it finds the same items in its cache.
template <class Step>
void on_all_threads(int threads, Step step) {
  if (threads == 1) return step(0);
  if (threads <= team::kMostSlots) return detail::run_region(threads, step);
  for_each_part(threads, threads, [&](int t, int) { step(t); });
}

/// Calls work(first, last) for the chunk of n items of each thread.
template <class Work>
void for_each_chunk(std::size_t n, int threads, Work work) {
  on_all_threads(threads,
                 [&](int t) { work(chunk_begin(n, threads, t), chunk_begin(n, threads, t + 1)); });
}

}  // namespace sortlab::threads
