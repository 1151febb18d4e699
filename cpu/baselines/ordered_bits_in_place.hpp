// Sorts keys as unsigned integers in their own array, for libraries that sort only integers. This
// takes two more sweeps over the keys, both timed, and none for unsigned keys in ascending order.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>

#include "common/contract/variant.hpp"
#include "cpu/primitives/library/packed_items.hpp"

namespace sortlab::cpu::baselines {
using namespace primitives::library;

/// Maps the keys of `job` to their ordered bits in place, calls sort(first, last), and maps them
/// back. It uses construct_at instead of a plain store, because the integer replaces the key in its
/// memory.
template <class Job, class Sort, class Chunks = OneChunk>
void sort_ordered_bits_in_place(const Job& job, Sort sort, Chunks for_chunks = {}) {
  using Key = typename Job::Key;
  using Bits = BitsOf<Key>;
  if constexpr (std::is_same_v<Key, Bits> && Job::kOrder == Order::ascending) {
    sort(job.data.keys, job.data.keys + job.n);
  } else {
    Key* const keys = job.data.keys;
    auto* const bits = reinterpret_cast<Bits*>(keys);
    for_chunks(job.n, [=](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        std::construct_at(bits + i, to_radix_bits<Key, Job::kOrder>(keys[i]));
      }
    });
    sort(bits, bits + job.n);
    for_chunks(job.n, [=](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        std::construct_at(keys + i, from_radix_bits<Key, Job::kOrder>(bits[i]));
      }
    });
  }
}

/// As sort_by_library, but keys alone are sorted as their ordered bits, too.
template <class Job, class Sort, class Chunks = OneChunk>
ResultIn sort_bits_by_library(const Job& job, Sort sort, Chunks for_chunks = {}) {
  if constexpr (Job::kPairs) {
    return sort_by_library(job, sort, for_chunks);
  } else {
    sort_ordered_bits_in_place(
        job,
        [&](auto first, auto last) { sort(first, last, std::less<BitsOf<typename Job::Key>>{}); },
        for_chunks);
    return ResultIn::data;
  }
}

}  // namespace sortlab::cpu::baselines
