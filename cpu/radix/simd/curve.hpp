// Digits that follow the distribution of the keys, for cpu/radix/simd.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "cpu/radix/simd/digits.hpp"

namespace sortlab::cpu::radix::simd {

/// Cuts a range into parts with about equally many keys, judged by a sample. The keys are assumed
/// to be spread evenly within each of 512 cells of the range.
///
///   unit   = offset, shifted so that the range has 32 bits:  | cell, 9 bits | fraction of it |
///   digit  = start of the cell + slope of the cell * fraction, both in 2^-21 of a digit
template <class Key>
struct Curve {
  static constexpr int kFraction = 23, kPart = 21;
  static constexpr std::size_t kCells = 512;
  struct Cell {
    std::uint32_t start, slope;
  };
  Range<Key> range;
  std::uint32_t ways;
  int left, right;  // the shifts of an offset
  const Cell* cells;

  /// Writes kCells cells; `sample` is sorted and within the range.
  static Curve of(const Range<Key>& range, std::size_t ways, const Key* sample, std::size_t sampled,
                  Cell* cells) {
    const int bits = std::max(1, static_cast<int>(std::bit_width(range.last)));
    const Curve curve{range, static_cast<std::uint32_t>(ways), std::max(0, 32 - bits),
                      std::max(0, bits - 32), cells};
    std::uint32_t counts[kCells] = {};
    for (std::size_t i = 0; i < sampled; ++i) {
      ++counts[curve.unit_of(curve.offset_of(sample[i])) >> kFraction];
    }
    // No cell counts as empty, because the sample may have missed its keys.
    constexpr double kAtLeast = 0.25;
    const std::uint32_t used = (curve.unit_of(range.last) >> kFraction) + 1;
    const double scale = (static_cast<double>(ways) * (1 << kPart) - 2.0 * kCells) /
                         (static_cast<double>(sampled) + used * kAtLeast);
    std::uint32_t start = 0;
    for (std::uint32_t c = 0; c < used; ++c) {
      cells[c] = {start, static_cast<std::uint32_t>((counts[c] + kAtLeast) * scale) + 1};
      start += cells[c].slope;
    }
    return curve;
  }
  [[gnu::always_inline]] std::uint32_t of_key(Key key) const {
    const Offset<Key> offset = offset_of(key);
    return offset > range.last ? ways : of_offset(offset);
  }
  /// The keys with that digit, if there are any.
  Range<Key> part(std::size_t digit) const {
    const Offset<Key> first = digit == 0 ? 0 : last_offset(digit - 1) + 1;
    return {static_cast<Key>(static_cast<Offset<Key>>(range.lowest) + first),
            static_cast<Offset<Key>>(last_offset(digit) - first)};
  }

 private:
  Offset<Key> offset_of(Key key) const {
    return static_cast<Offset<Key>>(key) - static_cast<Offset<Key>>(range.lowest);
  }
  std::uint32_t unit_of(Offset<Key> offset) const {
    return static_cast<std::uint32_t>((sizeof(Key) == 8 ? offset >> right : offset) << left);
  }
  std::uint32_t of_offset(Offset<Key> offset) const {
    const std::uint32_t unit = unit_of(offset);
    const Cell cell = cells[unit >> kFraction];
    const std::uint64_t fraction = static_cast<std::uint32_t>(unit << (32 - kFraction));
    return (cell.start + static_cast<std::uint32_t>(fraction * cell.slope >> 32)) >> kPart;
  }
  /// The greatest offset of that digit or a lower one.
  Offset<Key> last_offset(std::size_t digit) const {
    Offset<Key> low = 0, high = range.last;
    while (low < high) {
      const Offset<Key> mid = high - (high - low) / 2;
      if (of_offset(mid) <= digit) {
        low = mid;
      } else {
        high = mid - 1;
      }
    }
    return low;
  }
};

}  // namespace sortlab::cpu::radix::simd
