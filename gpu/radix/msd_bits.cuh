// Keys as unsigned integers that sort alike, by two constants rather than by a type: one kernel a
// key width serves all six key types and both orders.
#pragma once

#include <cstring>

#include "common/key_types.hpp"

namespace sortlab::msd {

/// Flips the bits `always`, and those of `negative` too where the key's sign bit is set.
/// `negative` never holds the sign bit, so the sign can be read before and after.
template <class Bits>
struct BitFlips {
  Bits always = 0;
  Bits negative = 0;

  static constexpr unsigned kSignBit = 8 * sizeof(Bits) - 1;

  SORTLAB_HD Bits encode(Bits key) const { return flip_negative(key) ^ always; }
  SORTLAB_HD Bits decode(Bits bits) const { return flip_negative(bits ^ always); }

 private:
  SORTLAB_HD Bits flip_negative(Bits bits) const {
    return bits ^ ((Bits{0} - (bits >> kSignBit)) & negative);
  }
};

/// The flips that make encode() the same map as to_radix_bits<Key, kOrder>().
template <class Key, Order kOrder>
constexpr BitFlips<BitsOf<Key>> flips_of() {
  using Bits = BitsOf<Key>;
  constexpr Bits kSign = Bits{1} << BitFlips<Bits>::kSignBit;
  BitFlips<Bits> flips;
  if (std::is_signed_v<Key> || std::is_floating_point_v<Key>) flips.always = kSign;
  if (std::is_floating_point_v<Key>) flips.negative = static_cast<Bits>(~kSign);
  if (kOrder == Order::descending) flips.always = static_cast<Bits>(~flips.always);
  return flips;
}

}  // namespace sortlab::msd
