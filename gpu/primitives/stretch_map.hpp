// Keys of a short range, stretched over all numbers of their width, so that their top digits differ.
//
//     keys      40000000 ..... 5fffffff          base 40000000, factor 8: 2^32 by the range
//     numbers   00000000 ..... fffffff8          (key - base) * factor
#pragma once

#include <bit>
#include <limits>

#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu {

template <class Bits>
struct Stretch {
  Bits base = 0;
  Bits factor = 0;  // 0: keys stay as they are

  /// That of the ordered keys from first to last, which are not all the same.
  static constexpr Stretch of(Bits first, Bits last) {
    return {first, static_cast<Bits>(std::numeric_limits<Bits>::max() / (last - first))};
  }
  SORTLAB_HD bool changes() const { return factor != 0; }
  /// The number of an ordered key.
  SORTLAB_HD Bits number(Bits ordered) const {
    return static_cast<Bits>((ordered - base) * factor);
  }
};

/// The way back from numbers to keys.
template <class Bits>
struct StretchMap {
  KeyMap<Bits> key_map;
  Bits base;
  unsigned twos;  // how often the factor can be halved
  Bits inverse;   // of what is left of it, modulo 2^32 or 2^64

  StretchMap(KeyMap<Bits> key_map, Stretch<Bits> stretch)
      : key_map(key_map),
        base(stretch.base),
        twos(static_cast<unsigned>(std::countr_zero(stretch.factor))),
        inverse(static_cast<Bits>(stretch.factor >> twos)) {
    const Bits odd = inverse;
    // Newton's method doubles the right bits, of which there are three, each time.
    for (unsigned right = 3; right < 8 * sizeof(Bits); right *= 2) inverse *= 2 - odd * inverse;
  }
  SORTLAB_HD Bits key(Bits number) const {
    return key_map.key(static_cast<Bits>(base + (number >> twos) * inverse));
  }
};

}  // namespace sortlab::gpu
