// The map from a key to the unsigned integer that radix sorts order by, chosen at run time: one
// kernel for 32-bit keys and one for 64-bit keys serve all key types and both orders.
//
//            always     of negative keys, besides
//   u32      0          0
//   i32      sign       0
//   f32      sign       all but the sign       descending: all bits of `always` flipped
#pragma once

#include "common/key_types.hpp"

namespace sortlab::gpu {

template <class Bits>
struct KeyMap {
  Bits always;    // flipped in every key
  Bits negative;  // flipped in keys whose sign bit is set; the sign bit itself is not among these

  SORTLAB_HD constexpr Bits to_radix(Bits key) const { return flip_negative(key) ^ always; }
  SORTLAB_HD constexpr Bits from_radix(Bits bits) const { return flip_negative(bits ^ always); }

 private:
  SORTLAB_HD constexpr Bits flip_negative(Bits key) const {
    return key ^ (negative & (Bits{0} - (key >> (8 * sizeof(Bits) - 1))));
  }
};

/// The map that does what to_radix_bits<Key, kOrder> does.
template <class Key, Order kOrder>
constexpr KeyMap<BitsOf<Key>> key_map_of() {
  using Bits = BitsOf<Key>;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Key) - 1);
  constexpr Bits kAll = static_cast<Bits>(~Bits{0});
  return {static_cast<Bits>((std::is_unsigned_v<Key> ? Bits{0} : kSign) ^
                            (kOrder == Order::descending ? kAll : Bits{0})),
          std::is_floating_point_v<Key> ? static_cast<Bits>(kAll ^ kSign) : Bits{0}};
}

}  // namespace sortlab::gpu
