// Sorts keys as unsigned integers in their own array, for libraries that sort only integers. This
// takes two more sweeps over the keys, both timed, and none for unsigned keys in ascending order.
#pragma once

#include <cstddef>
#include <functional>

#include "common/contract/variant.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab::cpu::baselines {
using namespace primitives::library;

/// Maps the keys of `job` to their ordered bits in place, calls sort(first, last), and maps them back.
template <class Job, class Sort, class Chunks = OneChunk>
void sort_ordered_bits_in_place(const Job& job, Sort sort, Chunks for_chunks = {}) {
  auto* const keys = job.data.keys;
  if (job.map.changes_nothing()) return sort(keys, keys + job.n);
  for_chunks(job.n, [=, map = job.map](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) keys[i] = map.ordered(keys[i]);
  });
  sort(keys, keys + job.n);
  for_chunks(job.n, [=, map = job.map](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) keys[i] = map.key(keys[i]);
  });
}

/// As sort_by_library, but keys alone are sorted as their ordered bits, too.
template <class Job, class Sort, class Chunks = OneChunk>
ResultIn sort_bits_by_library(const Job& job, Sort sort, Chunks for_chunks = {}) {
  if constexpr (Job::kPairs) {
    return sort_by_library(job, sort, for_chunks);
  } else {
    sort_ordered_bits_in_place(
        job, [&](auto first, auto last) { sort(first, last, std::less<typename Job::Key>{}); },
        for_chunks);
    return ResultIn::data;
  }
}

}  // namespace sortlab::cpu::baselines
