// All code of RegisterSort and CacheSort, for networks.cpp.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/all.inl.hpp"
#endif

#include "cpu/primitives/simd/pivot_sort.inl.hpp"
#include "cpu/primitives/simd/row_sort.inl.hpp"

#define SORTLAB_ROWS(Key, kFloat, kRows, kRaw, kDecode)                     \
  template void RegisterSort<Key, kFloat>::sort_rows<kRows, kRaw, kDecode>( \
      const Key*, Key*, std::size_t, const Coding<Key, kFloat>&);
#define SORTLAB_ALL_ROWS(Key, kFloat, kRaw, kDecode) \
  SORTLAB_ROWS(Key, kFloat, 2, kRaw, kDecode)        \
  SORTLAB_ROWS(Key, kFloat, 4, kRaw, kDecode)        \
  SORTLAB_ROWS(Key, kFloat, 8, kRaw, kDecode)        \
  SORTLAB_ROWS(Key, kFloat, 12, kRaw, kDecode)       \
  SORTLAB_ROWS(Key, kFloat, 16, kRaw, kDecode)
#define SORTLAB_NETWORKS(Key, kFloat)                                           \
  SORTLAB_ALL_ROWS(Key, kFloat, true, true)                                     \
  SORTLAB_ALL_ROWS(Key, kFloat, true, false)                                    \
  SORTLAB_ALL_ROWS(Key, kFloat, false, true)                                    \
  template void CacheSort<Key, kFloat>::sort<true>(Key*, Key*, std::size_t,     \
                                                   const Coding<Key, kFloat>&); \
  template void CacheSort<Key, kFloat>::sort<false>(Key*, Key*, std::size_t,    \
                                                    const Coding<Key, kFloat>&);

SORTLAB_NETWORKS(std::int32_t, false)
SORTLAB_NETWORKS(std::int32_t, true)
SORTLAB_NETWORKS(std::int64_t, false)
SORTLAB_NETWORKS(std::int64_t, true)

#undef SORTLAB_NETWORKS
#undef SORTLAB_ALL_ROWS
#undef SORTLAB_ROWS
