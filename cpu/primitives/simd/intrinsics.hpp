// <immintrin.h> without the false alarms of GCC 12.
//
// Its AVX-512 intrinsics pass operands that do not matter as `__Y = __Y`, and the compiler then
// warns of its own header (gcc.gnu.org/PR105593). Only what stands in that header is silenced, so a
// file must come to it through here first.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wuninitialized"
  #pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
  #pragma GCC diagnostic pop
#endif
