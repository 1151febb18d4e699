// The functions of cache_calls.hpp, for the vectors of one instruction set.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/cache_calls.hpp"
  #include "cpu/primitives/simd/kernels.inl.hpp"
#endif

template <class Key, bool kFloat>
struct Kernels {
  using Plain = CacheSort<Key, false>;
  using Sort = CacheSort<Key, kFloat>;
  using Code = typename Sort::Code;

  static void sort_raw(Key* keys, std::size_t n, Key flip) {
    Sort::template sort<true>(keys, keys, n, Code(flip));
  }
  static void sort_coded(Key* from, Key* to, std::size_t n, Key flip) {
    Sort::template sort<false>(from, to, n, Code(flip));
  }
  static void sort_sample(Key* sample, std::size_t n) {
    Plain::template sort<false>(sample, sample, n, typename Plain::Code(0));
  }
  static void sample_raw(const Key* from, std::size_t n, Key* sample, std::size_t count, Key flip) {
    Sort::template take_sample<true>(from, n, sample, count, Code(flip));
  }
  static void sample_coded(const Key* from, std::size_t n, Key* sample, std::size_t count,
                           Key flip) {
    Sort::template take_sample<false>(from, n, sample, count, Code(flip));
  }
  static void fill(Key* to, std::size_t n, Key key, Key flip) {
    Sort::fill(to, n, key, Code(flip));
  }
  static std::size_t partition(Key* keys, std::size_t n, Key pivot, Key flip) {
    return Partition<Key, kFloat>::template in_place<true, false>(keys, n, pivot, Code(flip));
  }

  static constexpr CacheCalls<Key> calls() {
    return {.look = look<Key, kFloat>,
            .sort_raw = sort_raw,
            .sort_coded = sort_coded,
            .sort_sample = sort_sample,
            .sample_raw = sample_raw,
            .sample_coded = sample_coded,
            .fill = fill,
            .partition = partition};
  }
};
