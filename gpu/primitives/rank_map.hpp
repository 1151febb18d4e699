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

  __host__ __device__ __forceinline__ Bits ordered(Bits key) const {
    return equated(KeyMap<Bits>::ordered(key));
  }
  /// The same for several keys. What changes nothing is asked once.
  template <unsigned kCount>
  __device__ __forceinline__ void order(Bits (&key)[kCount]) const {
    if (KeyMap<Bits>::changes_nothing()) return;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) key[i] = KeyMap<Bits>::ordered(key[i]);
    if (zero == negative_zero) return;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) key[i] = equated(key[i]);
  }
  /// The keys again.
  template <unsigned kCount>
  __device__ __forceinline__ void restore(Bits (&ordered)[kCount]) const {
    if (KeyMap<Bits>::changes_nothing()) return;
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) ordered[i] = KeyMap<Bits>::key(ordered[i]);
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

 private:
  __host__ __device__ __forceinline__ Bits equated(Bits ordered) const {
    const Bits bits = min(ordered, most);
    return bits == negative_zero ? zero : bits;
  }
};

/// Of keys of this kind, which have the width of Bits. NaNs of both signs may be behind all numbers, or before them, in both
/// orders. For ranks: NaNs are last, and floats that are equal are one.
template <class Bits>
RankMap<Bits> rank_map_of(KeyKind kind, bool nans_last, bool nans_first, bool are_ranks) {
  RankMap<Bits> map{key_map_of<Bits>(kind, nans_last && !nans_first)};
  if (nans_first && is_floating(kind.type)) {
    // The last number comes to the end.
    using Float = std::conditional_t<sizeof(Bits) == 4, float, double>;
    constexpr Float kInfinity = std::numeric_limits<Float>::infinity();
    map.rotation = 1 + map.KeyMap<Bits>::ordered(std::bit_cast<Bits>(
                           kind.order == Order::ascending ? kInfinity : -kInfinity));
  } else if (are_ranks) {
    map.equate_floats();
  }
  return map;
}

}  // namespace sortlab::gpu
