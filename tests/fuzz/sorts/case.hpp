// A case of the sorts' fuzzers: an input, and the sorts that take part.
//
// A case is one line of text, and everything in it is a pure function of that line:
//
//   type=f32+u32 order=desc n=4097 values=nans pattern=organ_pipe seed=77 one_in=8
//
// It names no sorts: whether one takes part, and with which instruction set, parameters and
// misalignment, depends on its id and the seed. So a case stays valid when sorts are added or
// removed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/contract/key_types.hpp"

namespace sortlab::fuzz {

/// The values of the keys (keys.cpp).
enum class Values : std::uint8_t {
  uniform,
  one_value,
  few,
  small_numbers,
  one_bit,
  fixed_top,
  fixed_middle,
  fixed_bottom,
  heavy,
  heavy_end,
  low_entropy,
  any_length,
  clusters,
  ends,
  powers,
  special,
  nans,
  denormals,
  zeros
};
inline constexpr std::array<std::string_view, 19> kValuesNames = {
    "uniform",     "one_value",    "few",          "small_numbers", "one_bit",
    "fixed_top",   "fixed_middle", "fixed_bottom", "heavy",         "heavy_end",
    "low_entropy", "any_length",   "clusters",     "ends",          "powers",
    "special",     "nans",         "denormals",    "zeros"};

/// The order of the keys (keys.cpp).
enum class Pattern : std::uint8_t {
  random,
  sorted,
  reverse,
  swaps,
  reverse_swaps,
  organ_pipe,
  zigzag,
  killer3,
  sawtooth,
  runs,
  falling_runs,
  waves,
  rotated,
  random_tail,
  random_head,
  blocks,
  stride
};
inline constexpr std::array<std::string_view, 17> kPatternNames = {
    "random",  "sorted",      "reverse",     "swaps",  "reverse_swaps", "organ_pipe",
    "zigzag",  "killer3",     "sawtooth",    "runs",   "falling_runs",  "waves",
    "rotated", "random_tail", "random_head", "blocks", "stride"};

struct Case {
  KeyType key_type = KeyType::u32;
  bool pairs = false;
  Order order = Order::ascending;
  std::size_t n = 0;
  Values values = Values::uniform;
  Pattern pattern = Pattern::random;
  std::uint64_t seed = 0;
  std::uint64_t one_in = 1;  // one of this many sorts takes part; 1: all

  bool operator==(const Case&) const = default;
};

std::string text_of(const Case& one);

/// The case of this line; missing values are those of Case{}. Throws BadInput.
Case parse_case(std::string_view line);

/// Case `number` of a seed: mostly below 300 items, often up to 100,000, and one in `large_one_in` cases
/// up to 4 million.
Case random_case(std::uint64_t seed, std::uint64_t number, std::uint64_t large_one_in);

}  // namespace sortlab::fuzz
