// Checks whether neighbours in memory are also close in the order, as codes of points along a
// curve, timestamps and runs are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "cpu/radix/msd/source.hpp"

namespace sortlab::cpu::radix::pairs {

/// Whether half of some keys have their neighbour within a 64th of all keys, judged by a sample. n
/// >= 1024. A partition of such keys is slow, because it waits for the counters and places that it
/// has just changed.
template <class Items>
bool neighbours_are_close(const msd::Source<Items>& from, std::size_t n) {
  using Bits = typename Items::Key;
  constexpr std::size_t kLooks = 256;
  constexpr std::ptrdiff_t kNear = kLooks / 64;
  Bits keys[kLooks], neighbours[kLooks], block[2];
  for (std::size_t i = 0; i < kLooks; ++i) {
    const Bits* const two = from.load(from.keys, i * (n / kLooks), 2, block);
    keys[i] = two[0];
    neighbours[i] = two[1];
  }
  Bits sorted[kLooks];
  std::copy_n(keys, kLooks, sorted);
  std::sort(sorted, sorted + kLooks);
  const auto rank = [&](Bits key) {
    return std::lower_bound(sorted, sorted + kLooks, key) - sorted;
  };
  std::size_t close = 0;
  for (std::size_t i = 0; i < kLooks; ++i) {
    close += std::abs(rank(keys[i]) - rank(neighbours[i])) <= kNear;
  }
  return close >= kLooks / 2;
}

}  // namespace sortlab::cpu::radix::pairs
