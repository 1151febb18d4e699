// Sorting networks, and the exchanges that put a sorted block of vectors in sequence (Block in register_sort.inl.hpp).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sortlab::cpu::primitives::simd {

// Networks for a few keys: lists of two places to compare, in order.
//
// 4, 8, 12 and 16 places with 5, 19, 39 and 60 comparators, the fewest known. Source: Knuth, TAOCP
// 3, section 5.3.4 (4 to 16; 60 is Green's); in an order of few layers after Dobbelaere's list of
// networks (github.com/bertdobbelaere/SorterHunter).

/// The smaller of the two keys goes to place a, the greater to place b.
struct Comparator {
  std::uint8_t a, b;
};

template <int kPlaces>
inline constexpr std::array<Comparator, 0> kNetwork{};

template <>
inline constexpr std::array<Comparator, 1> kNetwork<2> = {{{0, 1}}};

template <>
inline constexpr std::array<Comparator, 5> kNetwork<4> = {{{0, 2}, {1, 3}, {0, 1}, {2, 3}, {1, 2}}};

// clang-format off
template <>
inline constexpr std::array<Comparator, 19> kNetwork<8> = {{
    {0, 2}, {1, 3}, {4, 6}, {5, 7},  {0, 4}, {1, 5}, {2, 6}, {3, 7},
    {0, 1}, {2, 3}, {4, 5}, {6, 7},  {2, 4}, {3, 5},  {1, 4}, {3, 6},  {1, 2}, {3, 4}, {5, 6}}};

template <>
inline constexpr std::array<Comparator, 39> kNetwork<12> = {{
    {0, 8}, {1, 7}, {2, 6}, {3, 11}, {4, 10}, {5, 9},
    {0, 1}, {2, 5}, {3, 4}, {6, 9}, {7, 8}, {10, 11},
    {0, 2}, {1, 6}, {5, 10}, {9, 11},
    {0, 3}, {1, 2}, {4, 6}, {5, 7}, {8, 11}, {9, 10},
    {1, 4}, {3, 5}, {6, 8}, {7, 10},
    {1, 3}, {2, 5}, {6, 9}, {8, 10},
    {2, 3}, {4, 5}, {6, 7}, {8, 9},
    {4, 6}, {5, 7},
    {3, 4}, {5, 6}, {7, 8}}};

template <>
inline constexpr std::array<Comparator, 60> kNetwork<16> = {{
    {0, 13}, {1, 12}, {2, 15}, {3, 14}, {4, 8}, {5, 6}, {7, 11}, {9, 10},
    {0, 5}, {1, 7}, {2, 9}, {3, 4}, {6, 13}, {8, 14}, {10, 15}, {11, 12},
    {0, 1}, {2, 3}, {4, 5}, {6, 8}, {7, 9}, {10, 11}, {12, 13}, {14, 15},
    {0, 2}, {1, 3}, {4, 10}, {5, 11}, {6, 7}, {8, 9}, {12, 14}, {13, 15},
    {1, 2}, {3, 12}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {13, 14},
    {1, 4}, {2, 6}, {5, 8}, {7, 10}, {9, 13}, {11, 14},
    {2, 4}, {3, 6}, {9, 12}, {11, 13},
    {3, 5}, {6, 8}, {7, 9}, {10, 12},
    {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, 12},
    {6, 7}, {8, 9}}};
// clang-format on

/// Where the bits of c are, as bits of the lane, before merge j: the exchanges of earlier merges
/// have permuted the lanes.
template <int kBits>
constexpr std::array<int, kBits + 1> lane_bits(int merge) {
  std::array<int, kBits + 1> bits{};
  for (int b = 0; b <= kBits; ++b) bits[b] = b;
  for (int j = 0; j < merge; ++j) {
    const auto before = bits;
    bits[0] = before[j];
    for (int b = 0; b < j; ++b) bits[b + 1] = before[b];
  }
  return bits;
}

/// How to put a sorted block into sequence: the exchanges, and the order in which to store the
/// rows.
template <int kBits, int kRows>
struct Sequence {
  static constexpr int kRowBits = std::bit_width(static_cast<unsigned>(kRows - 1));
  static constexpr int kPadded = 1 << kRowBits;
  static constexpr int kLanes = 1 << kBits;

  struct Exchange {
    int lane_bit, row_bit;
  };
  std::array<Exchange, 3 * kBits + 1> exchanges{};
  int exchange_count = 0;
  struct Store {
    int row, place;
  };
  std::array<Store, kPadded> stores{};
  int store_count = 0;

  constexpr Sequence() {
    // Bits of a key's number: of r, as 0, 1, ..; of c, as 16, 17, ..
    std::array<int, kBits + 1> lane{};
    std::array<int, kRowBits> row{};
    const auto bits = lane_bits<kBits>(kBits);
    for (int b = 0; b < kBits; ++b) lane[bits[b]] = 16 + b;
    for (int b = 0; b < kRowBits; ++b) row[b] = b;
    const auto swap_bits = [&](int lane_bit, int row_bit) {
      exchanges[exchange_count++] = {lane_bit, row_bit};
      const int moved = lane[lane_bit];
      lane[lane_bit] = row[row_bit];
      row[row_bit] = moved;
    };
    for (int t = 0; t < kBits; ++t) {
      const int wanted = t < kRowBits ? t : 16 + t - kRowBits;
      for (int b = 0; b < kBits; ++b) {
        if (b != t && lane[b] == wanted) swap_bits(b, t < kRowBits ? t : 0);
      }
      for (int b = 0; b < kRowBits; ++b) {
        if (row[b] == wanted) swap_bits(t, b);
      }
    }
    for (int q = 0; q < kPadded; ++q) {
      int r = 0, c = 0;
      for (int b = 0; b < kRowBits; ++b) {
        if (q >> b & 1) (row[b] < 16 ? r : c) |= 1 << (row[b] & 15);
      }
      if (r < kRows) stores[store_count++] = {q, c * kRows + r};
    }
    for (int i = 1; i < store_count; ++i) {
      for (int k = i; k > 0 && stores[k].place < stores[k - 1].place; --k) {
        const Store moved = stores[k];
        stores[k] = stores[k - 1];
        stores[k - 1] = moved;
      }
    }
  }
};

}  // namespace sortlab::cpu::primitives::simd
