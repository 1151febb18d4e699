// Kernels for floats differ from those for integers in Coding alone (coding.inl.hpp). With sanitizers, which make
// compilation several times slower, one instance serves both, and `flip` tells at run time which keys it gets.
#pragma once

namespace sortlab::cpu::primitives::simd {

#if defined(SORTLAB_SANITIZED)
inline constexpr bool kFlipTellsFloats = true;
#else
inline constexpr bool kFlipTellsFloats = false;
#endif

/// The lowest two bits of `flip` are equal, except that of floats.
template <class Key>
constexpr Key with_floats_told(Key flip, bool floats) {
  return kFlipTellsFloats && floats ? flip ^ 1 : flip;
}
template <class Key>
constexpr bool tells_floats(Key flip) {
  return kFlipTellsFloats && ((flip ^ (flip >> 1)) & 1) != 0;
}

}  // namespace sortlab::cpu::primitives::simd
