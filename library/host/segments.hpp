// The calls of sortlab/segments.h after their arguments are checked.
#pragma once

#include <sortlab/segments.h>

#include <optional>

#include "common/contract/segments.hpp"
#include "library/host/calls.hpp"

namespace sortlab::library {

/// Sorts the segments of n items by cpu/segments/auto: keys alone, with values, or their order.
struct SegmentsCall {
  Keys type;
  Settings settings;
  void* keys;  // of an argsort: they stay
  std::size_t n;
  Cut cut;
  std::size_t longest;
  void* values = nullptr;
  std::size_t value_bytes = 0;
  bool are_values_words = false;  // 4 bytes each, aligned to 4
  void* order = nullptr;          // of an argsort
  std::size_t index_bytes = 0;
  /// Where rows are read, if not in `keys`. Only for contiguous rows of keys alone.
  const void* from = nullptr;

  const void* source() const { return from == nullptr ? keys : from; }
  std::size_t scratch_bytes() const;
  void run(std::byte* scratch, std::size_t scratch_bytes) const;
};

/// The most items of a segment of which places are wanted.
inline constexpr std::size_t kMostPlaced = std::size_t{1} << 32;

/// The longest segment, or nothing where a segment is not within n items, or two that follow each other overlap.
std::optional<std::size_t> longest_of(const Cut& cut, std::size_t n);

}  // namespace sortlab::library
