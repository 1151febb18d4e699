// Key type and order as data: the map of to_radix_bits for sorts that take the keys of one width with the same code.
//
//                          flip, ascending   flip, descending   flip_if_negative
//     unsigned             00...00           11...11            00...00
//     signed               10...00           01...11            00...00
//     float, totalOrder    10...00           01...11            01...11
#pragma once

#include <limits>
#include <type_traits>

#include "common/contract/key_types.hpp"

namespace sortlab {

/// Maps the bits of keys to unsigned integers, in whose ascending order the keys should be, and back.
template <class Bits>
class KeyMap {
 public:
  KeyMap(KeyType type, Order order)
      : flip_((type == KeyType::u32 || type == KeyType::u64 ? Bits{0} : kSign) ^
              (order == Order::ascending ? Bits{0} : kAll)),
        flip_if_negative_(is_floating(type) ? kAll ^ kSign : Bits{0}) {}

  bool changes_nothing() const { return flip_ == 0 && flip_if_negative_ == 0; }
  Bits to_radix(Bits key) const { return key ^ flip_ ^ (spread_sign(key) & flip_if_negative_); }
  /// The second flip leaves the sign as it is, so the sign tells whether to flip back.
  Bits from_radix(Bits bits) const {
    const Bits key = bits ^ flip_;
    return key ^ (spread_sign(key) & flip_if_negative_);
  }
  Bits flip() const { return flip_; }

  static constexpr Bits kAll = std::numeric_limits<Bits>::max(), kSign = kAll ^ (kAll >> 1);

 private:
  static Bits spread_sign(Bits key) {
    return static_cast<Bits>(static_cast<std::make_signed_t<Bits>>(key) >> (8 * sizeof(Bits) - 1));
  }
  Bits flip_, flip_if_negative_;
};

}  // namespace sortlab
