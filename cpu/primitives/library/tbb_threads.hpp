// Runs oneTBB with exactly the threads of a job. An arena limits the threads that work in it.
// oneTBB starts no more threads than cores, unless a global limit allows more: it is set only for more,
// since a change of it stops the threads that are there. Both end with the sort.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <optional>

namespace sortlab::cpu::primitives::library {

template <class F>
void with_tbb_threads(int threads, F f) {
  std::optional<tbb::global_control> limit;
  if (threads > tbb::info::default_concurrency()) {
    limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  }
  tbb::task_arena arena(threads);
  arena.execute(f);
}

/// Packs and unpacks pairs (packed_items.hpp) on the threads of the arena that it is called in.
struct TbbChunks {
  template <class Body>
  void operator()(std::size_t n, Body body) const {
    constexpr std::size_t kGrain = std::size_t{1} << 16;
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, n, kGrain),
        [&](const tbb::blocked_range<std::size_t>& chunk) { body(chunk.begin(), chunk.end()); });
  }
};

}  // namespace sortlab::cpu::primitives::library
