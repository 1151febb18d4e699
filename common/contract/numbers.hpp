// Exact conversions of numbers from text and into narrower types. The standard ones are not enough:
// std::stod refuses 1e-320, std::stoull reads 1e5 as 1, and a cast of 1e24 to an integer is
// undefined.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace sortlab {

/// `text` as a whole number below 2^64, in decimal digits. Empty for any other text.
std::optional<std::uint64_t> parse_whole(std::string_view text);

/// `text`, all of it, as a finite number. Empty for any other text.
std::optional<double> parse_number(std::string_view text);

/// `value` without its fraction, or the nearest that an Int can hold; 0 for NaN.
template <class Int>
Int clamped(double value) {
  using Limits = std::numeric_limits<Int>;
  if (!(value == value)) return 0;
  if (value <= static_cast<double>(Limits::min())) return Limits::min();
  // Limits::max() may round up to a power of two, which Int can't hold.
  if (value >= static_cast<double>(Limits::max())) return Limits::max();
  return static_cast<Int>(value);
}

}  // namespace sortlab
