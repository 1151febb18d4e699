// How an array is cut into segments: the rules for their lengths, by name, and the cut that a rule makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/contract/segments.hpp"

namespace sortlab {

/// A rule, the mean length, and how wide the offsets are.
struct Lengths {
  std::string rule;  // "" where a sort has no segments
  std::size_t mean = 0;
  bool is_wide = false;

  bool operator==(const Lengths&) const = default;
};

struct LengthsRule {
  std::string_view name;
  std::string_view help;
};
std::span<const LengthsRule> lengths_rules();

/// "rows:64", or "power:64:wide" for offsets of 64 bits. Throws BadInput.
Lengths parse_lengths(std::string_view text);
/// The same text, or "".
std::string text_of(const Lengths& lengths);

/// How many segments an array of n items has.
std::size_t segments_of(const Lengths& lengths, std::size_t n);

/// A cut with its numbers, in host memory.
struct HostCut {
  std::vector<std::uint32_t> narrow;
  std::vector<std::uint64_t> wide;
  Cut cut;
  std::size_t longest = 0;

  std::size_t numbers() const { return narrow.empty() ? wide.size() : narrow.size(); }
  std::size_t number_bytes() const { return cut.is_wide ? 8 : 4; }
  std::size_t bytes() const { return numbers() * number_bytes(); }
  const void* data() const {
    return cut.is_wide ? static_cast<const void*>(wide.data()) : narrow.data();
  }
  /// The cut, with its numbers copied to another place.
  Cut at(const void* copied) const;

  HostCut() = default;
  HostCut(HostCut&&) = default;  // the numbers keep their places
  HostCut& operator=(HostCut&&) = default;
};

/// The same for each call. Throws BadInput where n does not fit narrow offsets.
HostCut make_cut(const Lengths& lengths, std::size_t n, std::uint64_t seed);

}  // namespace sortlab
