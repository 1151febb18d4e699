// Includes the intrinsics of the architecture: <arm_neon.h>, or <immintrin.h> without GCC 12's
// false warnings.
//
// GCC's AVX-512 intrinsics pass operands that do not matter as `__Y = __Y`, and the compiler then
// warns of its own header (gcc.gnu.org/PR105593). Only warnings from that header are disabled, so a
// file must first include it through this one.
#pragma once

#include "common/contract/isa_region.hpp"

#if defined(__GNUC__) && !defined(__clang__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wuninitialized"
  #pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(SORTLAB_X86)
  #include <immintrin.h>
#elif defined(SORTLAB_ARM)
  #include <arm_neon.h>
#endif
#if defined(__GNUC__) && !defined(__clang__)
  #pragma GCC diagnostic pop
#endif
