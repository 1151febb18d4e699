// Sorting networks for a few keys: lists of two places to compare, in order.
//
// 4, 8, 12 and 16 places with 5, 19, 39 and 60 comparators, the fewest known. Source: Knuth, TAOCP
// 3, section 5.3.4 (4 to 16; 60 is Green's); in an order of few layers after Dobbelaere's list of
// networks (github.com/bertdobbelaere/SorterHunter).
#pragma once

#include <array>
#include <cstdint>

namespace sortlab::cpu::primitives::simd {

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

}  // namespace sortlab::cpu::primitives::simd
