// Searches a tree of splitters on CPUs that can't look up nodes in registers: one level at a time
// for all keys of a vector.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #define SORTLAB_EDITOR
  #include "cpu/primitives/simd/lanes.hpp"
#endif

template <class Key, int kDepth>
class TreeSearch {
  using L = Lanes<Key>;

 public:
  static constexpr bool kInRegisters = false;

  explicit TreeSearch(const Key* nodes) : nodes_(nodes) {}

  template <class Bucket>
  [[gnu::always_inline]] void operator()(typename L::Vector keys, Bucket* buckets) const {
    alignas(64) Key key[L::kCount];
    L::store(key, keys);
    for (std::size_t k = 0; k < L::kCount; ++k) {
      std::size_t node = 1;
      for (int level = 0; level < kDepth; ++level) node = 2 * node + (key[k] > nodes_[node]);
      buckets[k] = static_cast<Bucket>(node - (std::size_t{1} << kDepth));
    }
  }

 private:
  const Key* nodes_;
};
