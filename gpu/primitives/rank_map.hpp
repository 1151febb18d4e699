// The map of keys to their order in which floats that are equal may be one.
#pragma once

#include <algorithm>

#include "gpu/primitives/key_map.hpp"

namespace sortlab::gpu {

/// The map of keys to their order, in which floats that are equal may be one: -0 is 0, and all NaNs are the first one.
/// Then there is no way back.
template <class Bits>
struct RankMap : KeyMap<Bits> {
  Bits most = static_cast<Bits>(~Bits{0});
  Bits negative_zero = 0;
  Bits zero = 0;

  SORTLAB_HD Bits ordered(Bits key) const {
    const Bits mapped = KeyMap<Bits>::ordered(key);
    const Bits bits = mapped < most ? mapped : most;
    return bits == negative_zero ? zero : bits;
  }
  /// NaNs are last.
  void equate_floats() {
    constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
    constexpr Bits kInfinity = sizeof(Bits) == 8 ? Bits{0x7ff} << (sizeof(Bits) * 8 - 12)
                                                 : Bits{0xff} << (sizeof(Bits) * 8 - 9);
    const Bits up = KeyMap<Bits>::ordered(kInfinity);
    const Bits down = KeyMap<Bits>::ordered(kInfinity | kSign);
    most = static_cast<Bits>(std::max(up, down) + 1);
    negative_zero = KeyMap<Bits>::ordered(kSign);
    zero = KeyMap<Bits>::ordered(0);
  }
};

}  // namespace sortlab::gpu
