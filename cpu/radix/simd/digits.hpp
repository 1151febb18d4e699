// Digits for cpu/radix/simd: equal parts of a range, or parts that follow the distribution of the keys.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sortlab::cpu::radix::simd {

template <class Key>
using Offset = std::make_unsigned_t<Key>;

/// The keys [lowest, lowest + last].
template <class Key>
struct Range {
  Key lowest;
  Offset<Key> last;
};

/// Cuts a range into equal parts, whose number need not be a power of two. A key's digit is the
/// number of its part. Keys beyond the range have the digit `ways`.
///
///   offset  = key - lowest; for keys below the range, too, it is greater than `last`
///   digit   = (offset >> shift) * factor >> 32
template <class Key>
struct Digits {
  Range<Key> range;
  int shift;  // leaves at most 32 bits of the range's offsets
  std::uint32_t factor;
  std::uint32_t ways;

  /// range.last >> shift must be no less than `ways`.
  static Digits of(const Range<Key>& range, std::size_t ways) {
    const int shift = std::max(0, static_cast<int>(std::bit_width(range.last)) - 32);
    const std::uint64_t units = (std::uint64_t{range.last} >> shift) + 1;
    return {range, shift, static_cast<std::uint32_t>((std::uint64_t{ways} << 32) / units),
            static_cast<std::uint32_t>(ways)};
  }
  /// The digit of a key within the range.
  [[gnu::always_inline]] std::uint32_t of_key_within(Key key) const {
    const Offset<Key> offset = offset_of(key);
    const std::uint64_t unit = sizeof(Key) == 8 ? offset >> shift & 0xFFFFFFFF : offset;
    return static_cast<std::uint32_t>(unit * factor >> 32);
  }
  [[gnu::always_inline]] std::uint32_t of_key(Key key) const {
    return offset_of(key) > range.last ? ways : of_key_within(key);
  }
  /// The keys with that digit.
  Range<Key> part(std::size_t digit) const {
    const Offset<Key> first = first_offset(digit);
    const Offset<Key> last = digit + 1 < ways ? first_offset(digit + 1) - 1 : range.last;
    return {static_cast<Key>(static_cast<Offset<Key>>(range.lowest) + first),
            static_cast<Offset<Key>>(last - first)};
  }

 private:
  Offset<Key> offset_of(Key key) const {
    return static_cast<Offset<Key>>(key) - static_cast<Offset<Key>>(range.lowest);
  }
  Offset<Key> first_offset(std::size_t digit) const {
    const std::uint64_t unit = ((std::uint64_t{digit} << 32) + factor - 1) / factor;
    return static_cast<Offset<Key>>(unit << shift);
  }
};

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
