// The unsigned integers that are ordered as the keys are, with key type and order known only when
// the sort runs: to_radix_bits as two words. So keys of one width share their kernels, whatever
// their type and order, and to put two keys in order is a minimum and a maximum.
//
//                          flip, up   flip, down   flip_if_negative
//     unsigned             00...00    11...11      00...00
//     signed               10...00    01...11      00...00
//     float, totalOrder    10...00    01...11      01...11
//
// In totalOrder, NaNs lie at both ends, by their sign. A rotation brings those in front behind the others:
//
//     flipped    NaN NaN | -inf ... 0 ... inf NaN         -inf becomes the number 0
//     ordered            | -inf ... 0 ... inf NaN NaN NaN
#pragma once

#include <bit>
#include <limits>

#include "common/contract/items.hpp"

namespace sortlab::gpu {

template <class Bits>
struct KeyMap {
  Bits flip = 0;
  Bits flip_if_negative = 0;
  Bits rotation = 0;

  SORTLAB_HD Bits ordered(Bits key) const {
    return (key ^ flip ^ (spread_sign(key) & flip_if_negative)) - rotation;
  }
  /// The inverse: `flip_if_negative` leaves the sign as it is, so it tells whether to flip back.
  SORTLAB_HD Bits key(Bits ordered) const {
    const Bits flipped = (ordered + rotation) ^ flip;
    return flipped ^ (spread_sign(flipped) & flip_if_negative);
  }
  SORTLAB_HD bool changes_nothing() const {
    return flip == 0 && flip_if_negative == 0 && rotation == 0;
  }
  /// The map of keys in a range, as there is of other maps.
  SORTLAB_HD const KeyMap& between(Bits, Bits) const { return *this; }

 private:
  SORTLAB_HD static Bits spread_sign(Bits key) {
    using Signed = std::make_signed_t<Bits>;
    return static_cast<Bits>(static_cast<Signed>(key) >> (8 * sizeof(Bits) - 1));
  }
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

/// What keys are that a sort has as their bits, and how it orders them.
struct KeyKind {
  KeyType type;
  Order order;
};
template <class Job>
constexpr KeyKind kind_of(const Job&) {
  return {key_type_of<typename Job::Key>(), Job::kOrder};
}

/// Of keys of this kind, which have the width of Bits.
template <class Bits>
constexpr KeyMap<Bits> key_map_of(KeyKind kind) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const bool is_unsigned = kind.type == KeyType::u32 || kind.type == KeyType::u64;
  const Bits up = is_unsigned ? Bits{0} : kSign;
  return {kind.order == Order::ascending ? up : static_cast<Bits>(~up),
          is_floating(kind.type) ? static_cast<Bits>(~kSign) : Bits{0}};
}

template <class Key, Order kOrder>
constexpr KeyMap<BitsOf<Key>> key_map_of() {
  return key_map_of<BitsOf<Key>>(KeyKind{key_type_of<Key>(), kOrder});
}

/// The same, but NaNs are behind all numbers in both orders.
template <class Key, Order kOrder>
constexpr KeyMap<BitsOf<Key>> key_map_nans_last() {
  auto map = key_map_of<Key, kOrder>();
  if constexpr (std::is_floating_point_v<Key>) {
    constexpr Key kInfinity = std::numeric_limits<Key>::infinity();
    map.rotation = map.ordered(
        std::bit_cast<BitsOf<Key>>(kOrder == Order::ascending ? -kInfinity : kInfinity));
  }
  return map;
}

/// The same items, keys as their bits.
template <class Key, class Value>
Items<BitsOf<Key>, Value> as_bits(Items<Key, Value> items) {
  return {reinterpret_cast<BitsOf<Key>*>(items.keys), items.values};
}

}  // namespace sortlab::gpu
