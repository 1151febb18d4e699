// The map of keys to ordered integers (common/contract/key_map.hpp) with one step more: NaNs may be last.
//
// In totalOrder, NaNs lie at both ends, by their sign. A rotation brings those in front behind the others:
//
//     flipped    NaN NaN | -inf ... 0 ... inf NaN         -inf becomes the number 0
//     ordered            | -inf ... 0 ... inf NaN NaN NaN
#pragma once

#include <bit>
#include <limits>
#include <type_traits>

#include "common/contract/items.hpp"
#include "common/contract/key_map.hpp"

namespace sortlab::gpu {

template <class Bits>
struct KeyMap : sortlab::KeyMap<Bits> {
  using Flips = sortlab::KeyMap<Bits>;
  Bits rotation = 0;

  SORTLAB_HD Bits ordered(Bits key) const { return Flips::ordered(key) - rotation; }
  SORTLAB_HD Bits key(Bits ordered) const { return Flips::key(ordered + rotation); }
  SORTLAB_HD bool changes_nothing() const { return Flips::changes_nothing() && rotation == 0; }
  /// The map of keys in a range, as there is of other maps.
  SORTLAB_HD const KeyMap& between(Bits, Bits) const { return *this; }
};

/// The map of keys that are compared as they lie in the array, of any type.
struct AsTheyAre {
  template <class Key>
  SORTLAB_HD Key ordered(Key key) const {
    return key;
  }
  template <class Key>
  SORTLAB_HD Key key(Key ordered) const {
    return ordered;
  }
  SORTLAB_HD bool changes_nothing() const { return true; }
};

/// Whether keys could differ from what such a map orders them by.
template <class Map>
constexpr bool kMayChange = !std::is_empty_v<Map>;

/// Of keys of this kind, which have the width of Bits: 4 or 8 bytes. NaNs may be behind all numbers in both orders.
template <class Bits>
constexpr KeyMap<Bits> key_map_of(KeyKind kind, bool nans_last = false) {
  KeyMap<Bits> map{sortlab::KeyMap<Bits>::of(kind), 0};
  if (nans_last && is_floating(kind.type)) {
    using Float = std::conditional_t<sizeof(Bits) == 4, float, double>;
    constexpr Float kInfinity = std::numeric_limits<Float>::infinity();
    map.rotation =
        map.ordered(std::bit_cast<Bits>(kind.order == Order::ascending ? -kInfinity : kInfinity));
  }
  return map;
}
template <class Key, Order kOrder>
constexpr KeyMap<BitsOf<Key>> key_map_of(bool nans_last = false) {
  return key_map_of<BitsOf<Key>>(KeyKind{key_type_of<Key>(), kOrder}, nans_last);
}

/// The same items, keys as their bits.
template <class Key, class Value>
Items<BitsOf<Key>, Value> as_bits(Items<Key, Value> items) {
  return {reinterpret_cast<BitsOf<Key>*>(items.keys), items.values};
}

}  // namespace sortlab::gpu
