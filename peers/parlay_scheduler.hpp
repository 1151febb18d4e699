// What the sorts of ParlayLib and of its fork DovetailSort share: the scheduler, and a parallel loop.
#pragma once

#include "common.hpp"

namespace peers {

// The scheduler belongs to the thread that makes it, which is the one that sorts.
using Scheduler = parlay::internal::scheduler_type;

/// Sort::sort(first, last) as keys and as packed pairs.
template <class Sort>
struct Parlay {
  template <class Key>
  static void keys(const sortlab_job* job) {
    sort_keys<Key>(job, Sort::sort);
  }
  template <class Key>
  static void pairs(const sortlab_job* job) {
    const auto loop = [](size_t n, auto f) {
      parlay::blocked_for(0, n, 4096, [&](size_t, size_t begin, size_t end) { f(begin, end); });
    };
    sort_packed<Key>(job, loop, Sort::sort);
  }
};

template <size_t count>
constexpr sortlab_sort parlay_sort(const char* name, const char* summary,
                                   const std::array<sortlab_instance, count>& instances) {
  return {.name = name,
          .summary = summary,
          .traits = SORTLAB_PARALLEL,
          .instances = instances.data(),
          .instance_count = count,
          .workspace_bytes = items_bytes,
          .create = create<Scheduler>,
          .destroy = destroy<Scheduler>};
}

}  // namespace peers
