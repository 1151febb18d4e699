// The kernels that several sorts share. Each file uses those above it.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/editor.hpp"
#endif

// clang-format off
#include "cpu/primitives/simd/coding.inl.hpp"
#include "cpu/primitives/simd/look.inl.hpp"
#include "cpu/primitives/simd/block.inl.hpp"
#include "cpu/primitives/simd/register_sort.inl.hpp"
#include "cpu/primitives/simd/partition.inl.hpp"
#include "cpu/primitives/simd/cache_sort.inl.hpp"
// clang-format on
