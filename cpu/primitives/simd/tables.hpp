// Tables of the SIMD sorts: permutations that partition the lanes of a vector by a mask, and sorting networks.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sortlab::cpu::primitives::simd {

/// The lanes that have an odd number of the bits `bits` in their index.
template <int kLanes>
constexpr unsigned odd_lanes(unsigned bits) {
  unsigned set = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) set |= (std::popcount(lane & bits) & 1u) << lane;
  return set;
}

/// For each set of lanes: the other lanes first, then those of the set, both in order. Given as
/// indices of kWords consecutive words per lane.
template <class Index, int kLanes, int kWords>
constexpr auto make_part_table() {
  std::array<std::array<Index, kLanes * kWords>, std::size_t{1} << kLanes> table{};
  for (std::size_t set = 0; set < table.size(); ++set) {
    std::size_t out = 0;
    for (const bool in_set : {false, true}) {
      for (int lane = 0; lane < kLanes; ++lane) {
        if ((set >> lane & 1) != in_set) continue;
        for (int word = 0; word < kWords; ++word) {
          table[set][out++] = static_cast<Index>(lane * kWords + word);
        }
      }
    }
  }
  return table;
}

alignas(64) inline constexpr auto kPartTable8 = make_part_table<std::uint8_t, 8, 1>();
alignas(64) inline constexpr auto kPartTable8Wide = make_part_table<std::uint32_t, 8, 1>();
alignas(64) inline constexpr auto kPartTable4Wide = make_part_table<std::uint32_t, 4, 2>();

// Sorting networks for a few keys: lists of two places to compare, in order.
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

}  // namespace sortlab::cpu::primitives::simd
