// Regions of code compiled for one instruction set inside a file compiled for the base instruction
// set, and macros that name the build's architecture.
//
//   #include <immintrin.h>                    // all includes first
//   #include "common/contract/isa_region.hpp"
//
//   #ifdef SORTLAB_X86
//   SORTLAB_AVX2_BEGIN
//   namespace avx2 { ... }                    // a namespace of its own
//   SORTLAB_AVX2_END
//   #endif
//
// Only code reached through a run-time choice (Job::isa) may enter such a namespace. There is no
// -march=native and no per-file -m flag: with those, the linker may keep the AVX-512 copy of a
// template that the scalar code shares, and crash on an older CPU. OpenMP constructs stay outside
// of the regions, because Clang does not apply the target to outlined loops.
//
// NEON belongs to the base instruction set of 64-bit Arm (SORTLAB_ARM), so it needs no region. Any
// other architecture has the scalar code alone.
#pragma once

#if defined(__x86_64__)
  #define SORTLAB_X86
#elif defined(__aarch64__)
  #define SORTLAB_ARM
#endif

// The features of the CPU that the code of a region may use. isa.cpp asks the CPU for all of them.
#define SORTLAB_AVX2_FEATURES "sse3,ssse3,sse4.1,sse4.2,avx,avx2,bmi,bmi2,fma,lzcnt,popcnt"
#define SORTLAB_AVX512_FEATURES \
  SORTLAB_AVX2_FEATURES ",f16c,avx512f,avx512bw,avx512cd,avx512dq,avx512vl"

// A _Pragma takes one string.
#define SORTLAB_PRAGMA(...) SORTLAB_PRAGMA_OF(__VA_ARGS__)
#define SORTLAB_PRAGMA_OF(...) _Pragma(#__VA_ARGS__)
#if defined(__clang__)
  #define SORTLAB_REGION_BEGIN(features) \
    SORTLAB_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
  #define SORTLAB_REGION_END _Pragma("clang attribute pop")
#else
  #define SORTLAB_REGION_BEGIN(features) \
    _Pragma("GCC push_options") SORTLAB_PRAGMA(GCC target(features))
  #define SORTLAB_REGION_END _Pragma("GCC pop_options")
#endif
#define SORTLAB_AVX2_BEGIN SORTLAB_REGION_BEGIN(SORTLAB_AVX2_FEATURES)
#define SORTLAB_AVX2_END SORTLAB_REGION_END
#define SORTLAB_AVX512_BEGIN SORTLAB_REGION_BEGIN(SORTLAB_AVX512_FEATURES)
#define SORTLAB_AVX512_END SORTLAB_REGION_END
