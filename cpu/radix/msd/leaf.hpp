// A radix sort of items that fit into a cache: LSD over a window of the leading bits, then a check
// of ties.
//
// Nearly all of 2^16 keys differ in their first 22 bits. After two passes of 11 bits over these,
// only neighbours with the same window can be out of order, and one more read sorts them. So 64-bit
// keys, whose window leaves out 42 bits, take hardly longer than 32-bit keys.
//
//   key   | equal in all keys | window: digit, digit | below: rarely decides |
//
// Stable. Reads n items to find the bits that differ, n to count both digits, then 2 passes, and
// one more read if the window leaves bits out.
//
// Source: LSD radix sort with a final insertion sort over the top log2(n) bits: Sedgewick, "Algorithms
// in C++", 3rd edition, section 10.6.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/contract/items.hpp"
#include "common/contract/variant.hpp"
#include "cpu/primitives/simple_sorts.hpp"

namespace sortlab::cpu::radix::msd {

using primitives::insertion_sort;

inline constexpr int kLeafPasses = 2;
inline constexpr int kLeafDigitBits = 11;
inline constexpr std::size_t kInsertionItems = 24;

using LeafCounts = std::uint32_t[kLeafPasses][std::size_t{1} << kLeafDigitBits];

/// The bits in which keys differ from the first one. n >= 1.
template <class Bits>
Bits differing_bits(const Bits* keys, std::size_t n) {
  const Bits first = keys[0];
  Bits differing = 0;
  for (std::size_t i = 0; i < n; ++i) differing |= keys[i] ^ first;
  return differing;
}

template <class Items>
void copy_items(Items from, Items to, std::size_t n) {
  std::memcpy(to.keys, from.keys, n * sizeof(typename Items::Key));
  if constexpr (Items::kPairs)
    std::memcpy(to.values, from.values, n * sizeof(typename Items::Value));
}

/// The digits that two passes sort by, least significant first, each `bits` wide.
struct Window {
  int low;   // the lowest bit of the window
  int bits;  // of a digit
  int passes;

  std::size_t digit(std::uint64_t key, int pass) const {
    return key >> (low + pass * bits) & ((std::size_t{1} << bits) - 1);
  }
};

/// The window for n items that differ in their lowest `width` bits. With more counters than items,
/// clearing and summing the counters would take longer than moving the items.
inline Window window_for(std::size_t n, int width) {
  const int most = std::clamp(static_cast<int>(std::bit_width(n)) - 2, 6, kLeafDigitBits);
  const int passes = width <= most ? 1 : kLeafPasses;
  const int bits = std::min(most, (width + passes - 1) / passes);
  return {std::max(0, width - passes * bits), bits, passes};
}

template <class Items>
class Leaf {
  using Bits = typename Items::Key;
  struct Less {
    bool operator()(Bits a, Bits b) const { return a < b; }
  };

 public:
  /// `temp` has room for the items of the largest leaf.
  Leaf(Items temp, LeafCounts& counts) : temp_(temp), counts_(counts) {}

  /// Sorts n items of `from` into `to`, which is `from` or overlaps neither it nor temp.
  void sort(Items from, Items to, std::size_t n) const {
    if (n <= kInsertionItems) {
      if (to.keys != from.keys) copy_items(from, to, n);
      insertion_sort(to, 0, n, Less{});
      return;
    }
    const int width = static_cast<int>(std::bit_width(differing_bits(from.keys, n)));
    if (width == 0) {
      if (to.keys != from.keys) copy_items(from, to, n);
      return;
    }
    const Window window = window_for(n, width);
    count(from.keys, n, window);
    if (window.passes == 2) {
      scatter(from, temp_, n, window, 0);
      scatter(temp_, to, n, window, 1);
    } else if (to.keys != from.keys) {
      scatter(from, to, n, window, 0);
    } else {
      scatter(from, temp_, n, window, 0);
      copy_items(temp_, to, n);
    }
    if (window.low > 0) order_ties(to, n, window.low);
  }

 private:
  void count(const Bits* keys, std::size_t n, const Window& window) const {
    for (int pass = 0; pass < window.passes; ++pass) {
      std::fill_n(counts_[pass], std::size_t{1} << window.bits, 0u);
    }
    for (std::size_t i = 0; i < n; ++i) {
      ++counts_[0][window.digit(keys[i], 0)];
      if (window.passes == 2) ++counts_[1][window.digit(keys[i], 1)];
    }
  }

  void scatter(Items from, Items to, std::size_t n, const Window& window, int pass) const {
    std::uint32_t* const next = counts_[pass];
    std::uint32_t place = 0;
    for (std::size_t digit = 0; digit < std::size_t{1} << window.bits; ++digit) {
      const std::uint32_t items = next[digit];
      next[digit] = place;
      place += items;
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto item = from[i];
      to.put(next[window.digit(item.key, pass)]++, item);
    }
  }

  /// Sorts the runs of items with the same bits from `low` on, if they are out of order.
  ///
  ///   | a1 | b2 b0 b1 | c0 | d7 d3 | ...      letters: the window; digits: the bits below
  ///               ^ less than the one before
  void order_ties(Items items, std::size_t n, int low) const {
    const Bits* const keys = items.keys;
    for (std::size_t i = 1; i < n; ++i) {
      if (keys[i - 1] <= keys[i]) continue;
      const Bits window = keys[i] >> low;
      std::size_t begin = i - 1, end = i + 1;
      while (begin > 0 && keys[begin - 1] >> low == window) --begin;
      while (end < n && keys[end] >> low == window) ++end;
      sort(items.from(begin), items.from(begin), end - begin);
      i = end;
    }
  }

  Items temp_;
  LeafCounts& counts_;
};

}  // namespace sortlab::cpu::radix::msd
