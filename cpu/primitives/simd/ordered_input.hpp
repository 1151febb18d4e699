// Handles input that is in order already, or in reverse order, without sorting.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

#include "common/utils.hpp"
#include "cpu/primitives/parallel/loops.hpp"

namespace sortlab::cpu::primitives::simd {

/// The possible results of a look at keys; equal keys give both.
inline constexpr unsigned kAscending = 1, kDescending = 2;

/// The result of `look` for n keys, computed by all threads.
template <class Key>
unsigned look_at_all(unsigned (*look)(const Key* keys, std::size_t n, Key flip), const Key* keys,
                     std::size_t n, Key flip, int threads) {
  if (threads == 1) return look(keys, n, flip);
  std::atomic<unsigned> sequence = kAscending | kDescending;
  const std::size_t share = ceil_div(n, static_cast<std::size_t>(threads));
  parallel::on_all_threads(threads, [&](int t) {
    // Chunks overlap by one key, so that the pair on their border is compared too.
    const std::size_t first = std::min(n, share * static_cast<std::size_t>(t));
    const std::size_t last = std::min(n, first + share + 1);
    sequence &= look(keys + first, last - first, flip);
  });
  return sequence;
}

/// Not inlined, so that it does not lengthen the code path of other input.
template <class Key>
[[gnu::noinline]] void turn_round(Key* keys, std::size_t n, int threads) {
  parallel::for_each_chunk(n / 2, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) std::swap(keys[i], keys[n - 1 - i]);
  });
}

/// Whether the keys are in order. Keys in reverse order are reversed first.
template <class Key>
bool in_order_now(unsigned (*look)(const Key* keys, std::size_t n, Key flip), Key* keys,
                  std::size_t n, Key flip, int threads) {
  const unsigned sequence = look_at_all(look, keys, n, flip, threads);
  if (sequence == kDescending) {
    turn_round(keys, n, threads);
  }
  return sequence != 0;
}

}  // namespace sortlab::cpu::primitives::simd
