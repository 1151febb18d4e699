// The intrinsics of the architecture: <arm_neon.h>, or <immintrin.h> without the false alarms of GCC 12.
//
// GCC's AVX-512 intrinsics pass operands that do not matter as `__Y = __Y`, and the compiler then
// warns of its own header (gcc.gnu.org/PR105593). Only what stands in that header is silenced, so a
// file must come to it through here first.
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
