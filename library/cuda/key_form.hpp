// How keys of any type become unsigned integers that are ordered alike, and back: what gpu::KeyMap alone can't
// do, for keys narrower than their bits, NaNs behind the numbers, and zeros or NaNs that are equal.
#pragma once

#include <cstdint>
#include <sortlab/detail/cuda/radix_sort.hpp>

#include "common/contract/key_types.hpp"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::cuda::detail {

template <class Bits>
struct KeyForm {
  gpu::KeyMap<Bits> map;
  unsigned shift = 0;  // of narrow keys: brings their highest bit to that of Bits
  Bits rotation = 0;   // added to the ordered bits: brings NaNs behind the numbers
  Bits zero_sign = 0;  // the sign bit where -0 and +0 are the same; then there is no way back
  Bits infinity = 0;   // the bits of +inf where all NaNs are the same; then there is no way back

  /// A narrow key becomes a number as narrow.
  SORTLAB_HD Bits ordered(Bits key) const {
    key <<= shift;
    if (zero_sign != 0 && key == zero_sign) key = 0;
    if (infinity != 0 && static_cast<Bits>(key << 1) > static_cast<Bits>(infinity << 1))
      key = infinity + (Bits{1} << shift);
    return narrow((map.ordered(key) >> shift) + rotation);
  }
  SORTLAB_HD Bits key(Bits ordered) const {
    return map.key((ordered - rotation) << shift) >> shift;
  }
  SORTLAB_HD Bits narrow(Bits number) const { return number << shift >> shift; }
};

/// The bits of +inf, at the upper end of Bits.
template <class Bits>
constexpr Bits infinity_of(KeyKind kind, unsigned key_bytes) {
  const unsigned exponent_bits = kind == KeyKind::brain_floating ? 8
                                 : key_bytes == 2                ? 5
                                 : key_bytes == 4                ? 8
                                                                 : 11;
  return ((Bits{1} << exponent_bits) - 1) << (8 * sizeof(Bits) - 1 - exponent_bits);
}

/// The form of a call's keys as Bits, which are as wide or wider.
template <class Bits>
KeyForm<Bits> form_of(const RadixSort& call) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const bool ascending = call.order == Order::ascending;
  const auto flip = [&](Bits up) { return ascending ? up : static_cast<Bits>(~up); };
  KeyForm<Bits> form;
  form.shift = 8 * static_cast<unsigned>(sizeof(Bits) - call.key_bytes);
  if (!is_floating(call.kind)) {
    form.map = {flip(call.kind == KeyKind::signed_integer ? kSign : 0), 0};
    return form;
  }
  form.map = {flip(kSign), static_cast<Bits>(~kSign)};
  if (call.floats == FloatOrder::equal_zeros) form.zero_sign = kSign;
  if (call.floats == FloatOrder::nans_last) {
    // The first number in this order comes to 0, and the NaNs that were in front of it to the end.
    const Bits infinity = infinity_of<Bits>(call.kind, call.key_bytes);
    const Bits first_number = ascending ? static_cast<Bits>(infinity | kSign) : infinity;
    form.rotation = form.narrow(0 - (form.map.ordered(first_number) >> form.shift));
    if (call.index_bytes != 0 && !call.with_keys) {
      form.zero_sign = kSign;
      form.infinity = infinity;
    }
  }
  return form;
}

}  // namespace sortlab::cuda::detail
