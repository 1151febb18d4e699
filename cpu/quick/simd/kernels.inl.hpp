// The kernels of cpu/quick/simd, for the vectors of one instruction set.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/quick/simd/editor.hpp"
#endif

using quick::SORTLAB_ISA::TreeSearch;

// Each file uses those above it.
// clang-format off
#include "cpu/quick/simd/distribution.inl.hpp"
#include "cpu/quick/simd/deal.inl.hpp"
#include "cpu/quick/simd/majority.inl.hpp"
// clang-format on

template <class Key, bool kFloat>
struct Kernels {
  using Code = Coding<Key, kFloat>;
  using Plain = CacheSort<Key, false>;
  using Sort = CacheSort<Key, kFloat>;
  using InChunks = Distribution<Key, kFloat>;
  using Dealing = Deal<Key, kFloat>;
  using Distribute = std::conditional_t<Dealing::kPays, Dealing, InChunks>;

  static void sort_raw(Key* keys, std::size_t n, Key flip) {
    Sort::template sort<true>(keys, keys, n, Code(flip));
  }
  static void sort_coded(Key* from, Key* to, std::size_t n, Key flip) {
    Sort::template sort<false>(from, to, n, Code(flip));
  }
  static void sort_sample(Key* sample, std::size_t n) {
    Plain::template sort<false>(sample, sample, n, typename Plain::Code(0));
  }
  static void fill_users(Key* to, std::size_t n, Key key, Key flip) {
    Sort::fill(to, n, key, Code(flip));
  }
  static Sides take_out(Key* keys, Key* to, std::size_t n, Key key, Key flip) {
    return Majority<Key, kFloat>::take_out(keys, to, n, key, Code(flip));
  }
  static void sample_raw(const Key* from, std::size_t n, Key* sample, std::size_t count, Key flip) {
    Sort::template take_sample<true>(from, n, sample, count, Code(flip));
  }
  static void sample_coded(const Key* from, std::size_t n, Key* sample, std::size_t count,
                           Key flip) {
    Sort::template take_sample<false>(from, n, sample, count, Code(flip));
  }
  static void distribute_raw(const Key* from, std::size_t n, const Splitters<Key>& splitters,
                             ThreadState<Key>& state, Key flip) {
    Distribute::template distribute<true>(from, n, splitters, state, Code(flip));
  }
  static void distribute_coded(const Key* from, std::size_t n, const Splitters<Key>& splitters,
                               ThreadState<Key>& state, Key flip) {
    Distribute::template distribute<false>(from, n, splitters, state, Code(flip));
  }

  static constexpr Calls<Key> calls() {
    return {.look = look<Key, kFloat>,
            .sort_raw = sort_raw,
            .sort_coded = sort_coded,
            .sort_sample = sort_sample,
            .fill = fill_users,
            .take_out = take_out,
            .sample_raw = sample_raw,
            .sample_coded = sample_coded,
            .distribute_raw = distribute_raw,
            .distribute_coded = distribute_coded,
            .gather = InChunks::gather};
  }
};
