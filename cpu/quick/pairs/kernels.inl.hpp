// The kernels of cpu/quick/pairs, for the vectors of one instruction set. Each file uses those above it.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/quick/pairs/editor.hpp"
#endif

// clang-format off
#include "cpu/quick/pairs/block.inl.hpp"
#include "cpu/quick/pairs/sort.inl.hpp"
// clang-format on

template <class Key, bool kFloat>
struct Kernels {
  static constexpr Calls<Key> calls() {
    return {.look = look<Key, kFloat>, .sort = PairSort<Key, kFloat>::sort};
  }
};
