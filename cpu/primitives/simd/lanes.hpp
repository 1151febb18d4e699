// Lanes, a vector of keys, for each instruction set, and everything else that pasted files
// (*.inl.hpp) use. See kernels.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

#include "common/contract/isa_region.hpp"
#include "common/contract/items.hpp"
#include "cpu/primitives/cache_line.hpp"
#include "cpu/primitives/heap_sort.hpp"
#include "cpu/primitives/simd/avx2_lanes.hpp"
#include "cpu/primitives/simd/avx512_lanes.hpp"
#include "cpu/primitives/simd/interleave.hpp"
#include "cpu/primitives/simd/intrinsics.hpp"
#include "cpu/primitives/simd/neon_lanes.hpp"
#include "cpu/primitives/simd/ordered_input.hpp"
#include "cpu/primitives/simd/scalar_lanes.hpp"
#include "cpu/primitives/simd/sorting_networks.hpp"
#include "cpu/primitives/simd/splitters.hpp"
#include "cpu/primitives/streaming.hpp"

#define SORTLAB_INLINE [[gnu::always_inline]] static inline

// Functions that access only local variables, at constant places, need no check of alignment and of pointer arithmetic.
// These checks would be most of what sanitizers add to a network.
#ifdef __clang__
  #define SORTLAB_LOCALS_BEGIN           \
    SORTLAB_PRAGMA(clang attribute push( \
        __attribute__((no_sanitize("alignment", "pointer-overflow"))), apply_to = function))
  #define SORTLAB_LOCALS_END _Pragma("clang attribute pop")
#else
  #define SORTLAB_LOCALS_BEGIN
  #define SORTLAB_LOCALS_END
#endif
