// The kernels of cpu/quick/pairs, for the vectors of one instruction set. Each file uses those above it.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/quick/pairs/editor.hpp"
#endif

// clang-format off
#include "cpu/quick/pairs/forms.inl.hpp"
#include "cpu/quick/pairs/sort.inl.hpp"
// clang-format on

template <class Key, bool kFloat>
struct Kernels {
  static Calls<Key> calls() {
    if constexpr (sizeof(Key) == 4) {
      return {look<Key, kFloat>, PairSort<Words<kFloat>>::sort};
    } else {
      return {look<Key, kFloat>, PairSort<Columns<kFloat>>::sort};
    }
  }
};
