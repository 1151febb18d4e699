// The process's team of threads, for machines that other programs use too.
//
// A thread that shares its CPU with another program may be stopped for milliseconds. So a region
// never waits for a thread to come: it waits only for started work (region.hpp). A thread that was
// stopped leaves the team; later it returns on trial, to find out whether its CPU is free again
// (roster.hpp). Members spin between two regions for a short time only, then sleep.
//
// One region runs at a time. A region that starts inside of another one, or while another thread's
// region runs, gets no members and runs on its caller alone. A forked child makes its own team,
// with the same limit.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace sortlab::team {

inline constexpr int kMostSlots = 512;

/// Bytes between what different threads write: Intel's CPUs fetch cache lines in pairs.
inline constexpr std::size_t kApart = 128;

/// A part of a region's work.
using Body = void (*)(void* context, int slot);

/// Calls body(context, slot) once for each slot < slots, on this thread and on others that come while
/// slots are free. Returns when all calls have returned. `slots` is at most kMostSlots. A body must
/// not throw or wait for another body.
void run(int slots, Body body, void* context);

/// How many of `threads` threads will probably come at once. They are fewer on a busy machine, but
/// never only for lack of CPUs. A sort that cuts its input into this many parts loses nothing by
/// the missing threads.
int at_hand(int threads);

/// Limits the threads of a region, its caller included. The default is usable_cpus(); 0 restores
/// it. If the team has more threads, all of them end.
void limit(int threads);

/// The limit that limit() has set.
int limit();

/// Ends the team's threads, once no region runs. The next region starts them again. Not to be called from
/// inside of a region.
void end();

}  // namespace sortlab::team

namespace sortlab::threads {

// Parallel loops on the process's team of threads (team.hpp).
//
//   on_all_threads   a step for each of a number of threads, with memory of its own
//   for_each_part    many parts of unequal work: a thread that is done takes the next one
//   for_each_chunk   n items of equal work: one chunk for each thread
//
// Each of them returns when all work is done. Then the caller sees all results. No work waits for
// other work: if fewer threads come than requested, they do all of it.

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
