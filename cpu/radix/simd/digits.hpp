// Digits that are equal parts of a range, for cpu/radix/simd.
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

}  // namespace sortlab::cpu::radix::simd
