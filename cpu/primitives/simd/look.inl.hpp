// Checks whether keys are in order already.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/register_sort.inl.hpp"
#endif

/// Whether n keys are ascending (kAscending), descending (kDescending), both or neither.
template <class Key, bool kFloat>
unsigned look(const Key* keys, std::size_t n, Key flip) {
  using L = Lanes<Key>;
  constexpr std::size_t kLanes = L::kCount, kLook = 64 * kLanes;
  constexpr std::size_t kLine = 64 / sizeof(Key), kAhead = 2048 / sizeof(Key);
  const Coding<Key, kFloat> code(flip);
  unsigned sequence = kAscending | kDescending;
  std::size_t i = 1;
  for (; i + kLook <= n && sequence != 0; i += kLook) {
    unsigned falls = 0, rises = 0;
    for (std::size_t k = i; k < i + kLook; k += kLanes) {
      if ((k - i) % kLine == 0) __builtin_prefetch(keys + k + kAhead);
      const auto before = code.encode(L::load(keys + k - 1)), at = code.encode(L::load(keys + k));
      falls |= L::greater(before, at);
      rises |= L::greater(at, before);
    }
    if (falls != 0) sequence &= ~kAscending;
    if (rises != 0) sequence &= ~kDescending;
  }
  for (; i < n && sequence != 0; ++i) {
    const Key before = code.encode_one(keys[i - 1]), at = code.encode_one(keys[i]);
    if (before > at) sequence &= ~kAscending;
    if (at > before) sequence &= ~kDescending;
  }
  return sequence;
}
