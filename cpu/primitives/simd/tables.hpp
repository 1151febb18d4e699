// Permutations that partition the lanes of a vector by a mask.
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

}  // namespace sortlab::cpu::primitives::simd
