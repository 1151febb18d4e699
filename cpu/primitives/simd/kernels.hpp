// The code that SIMD sorts share, once for each instruction set: Lanes (a vector of keys),
// Coding (the user's keys as signed integers), look (whether the keys are sorted already), Partition,
// Block and RegisterSort (sorts in registers), CacheSort (a quicksort of keys that fit into a cache).
// Where calls per array are enough: cache_calls.hpp.
//
// All instruction sets share one source text: a file *.inl.hpp is included in each namespace that
// has Lanes. So it has no include guard and includes nothing. for_each_isa.inl.hpp does the same
// with the kernels of a sort. Only a run-time choice may enter these namespaces.
//
// An editor opens such a file alone. Then SORTLAB_PASTED is not defined, and the file's first lines
// include what it uses; SORTLAB_EDITOR makes lanes.hpp name the namespaces that the file is pasted into.
// `./run test --full` opens each of them like that.
#pragma once

#include "cpu/primitives/simd/lanes.hpp"
#include "cpu/primitives/simd/networks.hpp"

#define SORTLAB_PASTED

#ifdef SORTLAB_X86
SORTLAB_AVX512_BEGIN
namespace sortlab::cpu::primitives::simd::avx512 {
  #include "cpu/primitives/simd/kernels.inl.hpp"
}  // namespace sortlab::cpu::primitives::simd::avx512
SORTLAB_AVX512_END

SORTLAB_AVX2_BEGIN
namespace sortlab::cpu::primitives::simd::avx2 {
  #include "cpu/primitives/simd/kernels.inl.hpp"
}  // namespace sortlab::cpu::primitives::simd::avx2
SORTLAB_AVX2_END
#endif

#ifdef SORTLAB_ARM
namespace sortlab::cpu::primitives::simd::neon {
  #include "cpu/primitives/simd/kernels.inl.hpp"
}  // namespace sortlab::cpu::primitives::simd::neon
#endif

namespace sortlab::cpu::primitives::simd::scalar {
#include "cpu/primitives/simd/kernels.inl.hpp"
}  // namespace sortlab::cpu::primitives::simd::scalar

#undef SORTLAB_PASTED
