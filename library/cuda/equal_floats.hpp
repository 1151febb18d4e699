// Floats that are equal get the same bits: -0 those of 0, and all NaNs those of one, if they count as equal.
// So a stable sort keeps them in their order. There is no way back.
#pragma once

#include "common/contract/key_types.hpp"

namespace sortlab::cuda::detail {

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

}  // namespace sortlab::cuda::detail
