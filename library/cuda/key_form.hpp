// What gpu::KeyMap alone can't do: keys of any width become unsigned integers of 4 or 8 bytes that are ordered alike, and
// back, with NaNs behind the numbers; floats that are equal get the same bits.
#pragma once

#include <cstdint>
#include <sortlab/detail/cuda/radix_sort.hpp>

#include "common/contract/key_types.hpp"
#include "gpu/primitives/key_map.hpp"

namespace sortlab::cuda::detail {

// Floats that are equal get the same bits: -0 those of 0, and all NaNs those of one, if they count as equal.
// So a stable sort keeps them in their order. There is no way back.

template <class Bits>
struct EqualFloats {
  Bits zero_sign = 0;  // the sign bit where -0 and +0 are the same
  Bits infinity = 0;   // the bits of +inf where all NaNs are the same
  Bits nan = 0;        // what these become: a quiet one, as most are

  SORTLAB_HD Bits operator()(Bits key) const {
    if (zero_sign != 0 && key == zero_sign) return 0;
    const bool is_nan =
        infinity != 0 && static_cast<Bits>(key << 1) > static_cast<Bits>(infinity << 1);
    return is_nan ? nan : key;
  }
};

/// The floats whose bits end at the upper end of Bits. `infinity` are the bits of +inf, or 0 if NaNs are not equal.
template <class Bits>
constexpr EqualFloats<Bits> equal_floats(Bits infinity) {
  const auto lowest_of_exponent = static_cast<Bits>(infinity & (Bits{0} - infinity));
  return {Bits{1} << (8 * sizeof(Bits) - 1), infinity,
          static_cast<Bits>(infinity | lowest_of_exponent >> 1)};
}

/// The form of keys as wide as Bits, or narrower.
template <class BitsT>
struct KeyForm {
  using Bits = BitsT;
  gpu::KeyMap<Bits> map;
  unsigned shift = 0;         // brings a key's highest bit to that of Bits
  Bits rotation = 0;          // added to the ordered bits: brings NaNs behind the numbers
  EqualFloats<Bits> equated;  // if it changes any keys, there is no way back

  /// A narrow key becomes a number as narrow.
  SORTLAB_HD Bits ordered(Bits key) const {
    return narrow((map.ordered(equated(key << shift)) >> shift) + rotation);
  }
  SORTLAB_HD Bits key(Bits ordered) const {
    return map.key((ordered - rotation) << shift) >> shift;
  }
  SORTLAB_HD Bits narrow(Bits number) const { return number << shift >> shift; }
};
using NarrowForm = KeyForm<std::uint32_t>;

/// The bits of +inf, at the upper end of Bits.
template <class Bits>
constexpr Bits infinity_of(KeyKind kind, unsigned key_bytes) {
  const unsigned exponent_bits = kind == KeyKind::brain_floating ? 8
                                 : key_bytes == 2                ? 5
                                 : key_bytes == 4                ? 8
                                                                 : 11;
  return ((Bits{1} << exponent_bits) - 1) << (8 * sizeof(Bits) - 1 - exponent_bits);
}

/// Whether a call takes some floats that differ as equal. With NaNs last these are zeros and NaNs, if the index alone is
/// wanted: wanted keys keep their bits.
inline bool has_equal_floats(const RadixSort& call) {
  const bool wants_keys = call.index_bytes == 0 || call.with_keys;
  return is_floating(call.kind) && (call.floats == FloatOrder::equal_zeros ||
                                    (call.floats == FloatOrder::nans_last && !wants_keys));
}

/// How a call equates floats, whose bits are at the upper end of Bits.
template <class Bits>
EqualFloats<Bits> equal_floats_of(const RadixSort& call) {
  if (!has_equal_floats(call)) return {};
  const bool are_nans_equal = call.floats == FloatOrder::nans_last;
  return equal_floats(are_nans_equal ? infinity_of<Bits>(call.kind, call.key_bytes) : Bits{0});
}

/// The form of a call's keys: of 1, 2 or 4 bytes in 32 bits, of 8 in 64.
template <class Bits>
KeyForm<Bits> key_form_of(const RadixSort& call) {
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
  form.equated = equal_floats_of<Bits>(call);
  if (call.floats == FloatOrder::nans_last) {
    // The first number in this order comes to 0, and the NaNs that were in front of it to the end.
    const Bits infinity = infinity_of<Bits>(call.kind, call.key_bytes);
    const Bits first_number = ascending ? static_cast<Bits>(infinity | kSign) : infinity;
    form.rotation = form.narrow(0 - (form.map.ordered(first_number) >> form.shift));
  }
  if (call.floats == FloatOrder::nans_first) {
    // The last number comes to the end, and the NaNs that were behind it to the front.
    const Bits infinity = infinity_of<Bits>(call.kind, call.key_bytes);
    const Bits last_number = ascending ? infinity : static_cast<Bits>(infinity | kSign);
    form.rotation = form.narrow(~(form.map.ordered(last_number) >> form.shift));
  }
  return form;
}
inline NarrowForm narrow_form_of(const RadixSort& call) {
  return key_form_of<NarrowForm::Bits>(call);
}

}  // namespace sortlab::cuda::detail
