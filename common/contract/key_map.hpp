// The unsigned integers that are ordered as the keys are, with key type and order known only when the sort runs:
// to_radix_bits as two words. So keys of one width share their code, whatever their type and order, and to put two keys
// in order is a minimum and a maximum.
//
//                          flip, ascending   flip, descending   flip_if_negative
//     unsigned             00...00           11...11            00...00
//     signed               10...00           01...11            00...00
//     float, totalOrder    10...00           01...11            01...11
#pragma once

#include <type_traits>

#include "common/contract/key_types.hpp"

namespace sortlab {

/// What keys are that a sort has as their bits, and how it orders them.
struct KeyKind {
  KeyType type;
  Order order;
};
template <class Job>
constexpr KeyKind kind_of(const Job&) {
  return {key_type_of<typename Job::Key>(), Job::kOrder};
}

template <class Bits>
struct KeyMap {
  Bits flip = 0;
  Bits flip_if_negative = 0;

  /// Of keys of this kind, which have the width of Bits.
  static constexpr KeyMap of(KeyKind kind) {
    constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
    const NumberKind numbers = number_kind(kind.type);
    const Bits ascending = numbers == NumberKind::unsigned_integer ? Bits{0} : kSign;
    return {kind.order == Order::ascending ? ascending : static_cast<Bits>(~ascending),
            numbers == NumberKind::floating ? static_cast<Bits>(~kSign) : Bits{0}};
  }

  SORTLAB_HD Bits ordered(Bits key) const {
    return key ^ flip ^ (spread_sign(key) & flip_if_negative);
  }
  /// The inverse: `flip_if_negative` leaves the sign as it is, so it shows whether to flip back.
  SORTLAB_HD Bits key(Bits ordered) const {
    const Bits flipped = ordered ^ flip;
    return flipped ^ (spread_sign(flipped) & flip_if_negative);
  }
  SORTLAB_HD bool changes_nothing() const { return flip == 0 && flip_if_negative == 0; }

 private:
  SORTLAB_HD static Bits spread_sign(Bits key) {
    using Signed = std::make_signed_t<Bits>;
    return static_cast<Bits>(static_cast<Signed>(key) >> (8 * sizeof(Bits) - 1));
  }
};

}  // namespace sortlab
