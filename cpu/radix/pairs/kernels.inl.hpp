// The kernels of cpu/radix/pairs, for the vectors of one instruction set. Each file uses those above it.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/editor.hpp"
#endif

// clang-format off
#include "cpu/radix/pairs/staged.inl.hpp"
#include "cpu/radix/pairs/piece.inl.hpp"
#include "cpu/radix/pairs/sampled_digit.inl.hpp"
#include "cpu/radix/pairs/deal.inl.hpp"
#include "cpu/radix/pairs/leaf.inl.hpp"
#include "cpu/radix/pairs/few.inl.hpp"
// clang-format on

template <class Items>
struct PairKernels {
  PairLeaf<Items> leaf;
  PairFew<Items> few;
};
