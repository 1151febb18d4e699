// Makes sorted runs of up to 16 vectors in registers. networks.cpp compiles the networks, once for all sorts.
//
// Fewer keys take fewer rows: a block of 2, 4, 8, 12 or 16 vectors, the smallest that holds them.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/coding.inl.hpp"
#endif

template <class Key, bool kFloat>
struct RegisterSort {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;

  /// The most keys that are sorted.
  static constexpr std::size_t kKeys = 16 * kLanes;

  /// Sorts n <= kKeys keys into `to`, which is `from` or does not overlap it. The keys are read as
  /// the user's (kRaw) or as signed integers, and written as the user's (kDecode) or as signed
  /// integers.
  template <bool kRaw, bool kDecode>
  static void sort(const Key* from, Key* to, std::size_t n, const Code& code) {
    if (n > 12 * kLanes) return sort_rows<16, kRaw, kDecode>(from, to, n, code);
    if (n > 8 * kLanes) return sort_rows<12, kRaw, kDecode>(from, to, n, code);
    if (n > 4 * kLanes) return sort_rows<8, kRaw, kDecode>(from, to, n, code);
    if (n > 2 * kLanes) return sort_rows<4, kRaw, kDecode>(from, to, n, code);
    if (n > 0) sort_rows<2, kRaw, kDecode>(from, to, n, code);
  }

 private:
  template <int kRows, bool kRaw, bool kDecode>
  [[gnu::noinline]] static void sort_rows(const Key* from, Key* to, std::size_t n,
                                          const Code& code);
};
