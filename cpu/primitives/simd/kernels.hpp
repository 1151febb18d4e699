// What the SIMD sorts share, once for the vectors of each instruction set: Lanes (a vector of
// keys), MergeLanes (and what merges need of it), Coding (the user's keys as signed integers),
// Block and RegisterSort (sorts in registers), look (whether there is anything to sort).
//
// One text serves all: the files without an include guard are included in each namespace that has
// Lanes. for_each_isa.hpp does the same with the kernels of a sort. To be entered only through a
// run-time choice.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "common/contract/isa_region.hpp"
#include "cpu/primitives/simd/avx2_lanes.hpp"
#include "cpu/primitives/simd/avx512_lanes.hpp"
#include "cpu/primitives/simd/interleave.hpp"
#include "cpu/primitives/simd/intrinsics.hpp"
#include "cpu/primitives/simd/ordered_input.hpp"
#include "cpu/primitives/simd/scalar_lanes.hpp"
#include "cpu/primitives/simd/sorting_networks.hpp"

#define SORTLAB_INLINE [[gnu::always_inline]] static inline

SORTLAB_AVX512_BEGIN
namespace sortlab::simd::avx512 {
#include "cpu/primitives/simd/block.hpp"
#include "cpu/primitives/simd/coding.hpp"
#include "cpu/primitives/simd/look.hpp"
#include "cpu/primitives/simd/register_sort.hpp"
}  // namespace sortlab::simd::avx512
SORTLAB_AVX512_END

SORTLAB_AVX2_BEGIN
namespace sortlab::simd::avx2 {
#include "cpu/primitives/simd/block.hpp"
#include "cpu/primitives/simd/coding.hpp"
#include "cpu/primitives/simd/look.hpp"
#include "cpu/primitives/simd/register_sort.hpp"
}  // namespace sortlab::simd::avx2
SORTLAB_AVX2_END

namespace sortlab::simd::scalar {
#include "cpu/primitives/simd/block.hpp"
#include "cpu/primitives/simd/coding.hpp"
#include "cpu/primitives/simd/look.hpp"
#include "cpu/primitives/simd/register_sort.hpp"
}  // namespace sortlab::simd::scalar
