// Splitters as a search tree, and the search for a vector of keys, without a load or a branch that
// depends on a key: the nodes of a level are in registers, and permutations look them up.
//
//   nodes of the level       1 .. lanes / 2    lanes    2 lanes    4 lanes    8 lanes
//   registers                one for all       1        2          4          8
//   permutations (+ blends)  1                 1        1          2 (+1)     4 (+3)
//
// measured: 2^7 nodes by eight permutations are as fast as by one gather on 16 threads (xeon16,
// in_place.1.txt and .3), and 1.4x faster on one thread of an AMD Zen 5 (no log).
//
// Other CPUs search by loads (plain_tree_search.inl.hpp). Only a run-time choice may call it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "common/contract/isa_region.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/primitives/simd/avx2_lanes.hpp"
#include "cpu/primitives/simd/avx512_lanes.hpp"
#include "cpu/primitives/simd/keys.hpp"
#include "cpu/primitives/simd/lanes.hpp"
#include "cpu/primitives/simd/neon_lanes.hpp"

namespace sortlab::cpu::quick {

using primitives::kLineBytes, primitives::kLineKeys;
using primitives::simd::choose_splitters, primitives::simd::Splitters;

// Levels of a tree of splitters.
inline constexpr int kLeastDepth = 3, kMostDepth = 8;
inline constexpr std::size_t kMostLeaves = std::size_t{1} << kMostDepth;

/// Splitters as a search tree: the children of node i are 2 i and 2 i + 1, and the nodes of a level
/// follow each other. Nodes without a splitter send every key to the left.
template <class Key>
struct SplitterTree {
  alignas(kLineBytes) Key nodes[kMostLeaves];
  Splitters<Key> splitters;
  int depth;

  explicit SplitterTree(const Splitters<Key>& ascending) : splitters(ascending) {
    const int needed = std::bit_width(static_cast<unsigned>(splitters.count));
    depth = std::max(kLeastDepth, needed);
    nodes[0] = 0;
    for (int level = 0; level < depth; ++level) {
      const int step = 1 << (depth - level);
      for (int i = 0; i < 1 << level; ++i) {
        nodes[(1 << level) + i] = splitters.upper(i * step + step / 2 - 1);
      }
    }
  }
  int buckets() const { return splitters.count + 1; }
};

}  // namespace sortlab::cpu::quick

#ifdef SORTLAB_X86
SORTLAB_AVX512_BEGIN
namespace sortlab::cpu::quick::avx512 {
using primitives::simd::avx512::Lanes;

template <class Key>
struct NodeLanes;

template <>
struct NodeLanes<std::int32_t> {
  using Vector = __m512i;
  static Vector one() { return _mm512_set1_epi32(1); }
  static Vector of(Vector table, Vector node) { return _mm512_permutexvar_epi32(node, table); }
  static Vector of(Vector lower, Vector upper, Vector node) {
    return _mm512_permutex2var_epi32(lower, node, upper);
  }
  static Vector choose(Vector lower, Vector upper, Vector node, int bit) {
    return _mm512_mask_blend_epi32(_mm512_test_epi32_mask(node, _mm512_set1_epi32(bit)), lower,
                                   upper);
  }
  static Vector child(Vector node, Vector key, Vector splitter) {
    const Vector left = _mm512_add_epi32(node, node);
    return _mm512_mask_add_epi32(left, _mm512_cmpgt_epi32_mask(key, splitter), left, one());
  }
  static Vector minus(Vector node, int leaves) {
    return _mm512_sub_epi32(node, _mm512_set1_epi32(leaves));
  }
};

template <>
struct NodeLanes<std::int64_t> {
  using Vector = __m512i;
  static Vector one() { return _mm512_set1_epi64(1); }
  static Vector of(Vector table, Vector node) { return _mm512_permutexvar_epi64(node, table); }
  static Vector of(Vector lower, Vector upper, Vector node) {
    return _mm512_permutex2var_epi64(lower, node, upper);
  }
  static Vector choose(Vector lower, Vector upper, Vector node, int bit) {
    return _mm512_mask_blend_epi64(_mm512_test_epi64_mask(node, _mm512_set1_epi64(bit)), lower,
                                   upper);
  }
  static Vector child(Vector node, Vector key, Vector splitter) {
    const Vector left = _mm512_add_epi64(node, node);
    return _mm512_mask_add_epi64(left, _mm512_cmpgt_epi64_mask(key, splitter), left, one());
  }
  static Vector minus(Vector node, int leaves) {
    return _mm512_sub_epi64(node, _mm512_set1_epi64(leaves));
  }
};

template <class Key, int kDepth>
class TreeSearch {
  using L = Lanes<Key>;
  using N = NodeLanes<Key>;
  using Vector = typename L::Vector;
  static constexpr std::size_t kLanes = L::kCount;

 public:
  static constexpr bool kInRegisters = true;

  /// Nodes as in a heap: the children of node i, from 1 on, are 2 i and 2 i + 1.
  explicit TreeSearch(const Key* nodes) : nodes_(nodes) {}

  /// The buckets of a vector of keys.
  template <class Bucket>
  [[gnu::always_inline]] void operator()(Vector keys, Bucket* buckets) const {
    const Vector leaf = descend<0>(N::one(), keys);
    L::store(reinterpret_cast<Key*>(buckets), N::minus(leaf, 1 << kDepth));
  }

 private:
  template <int kLevel>
  [[gnu::always_inline]] Vector descend(Vector node, Vector keys) const {
    if constexpr (kLevel == kDepth) {
      return node;
    } else {
      return descend<kLevel + 1>(N::child(node, keys, splitters<kLevel>(node)), keys);
    }
  }
  /// The splitters at the nodes, which are all on one level.
  template <int kLevel>
  [[gnu::always_inline]] Vector splitters(Vector node) const {
    constexpr std::size_t kNodes = std::size_t{1} << kLevel;
    if constexpr (kNodes < kLanes) {
      return N::of(L::load(nodes_), node);
    } else if constexpr (kNodes == kLanes) {
      return N::of(L::load(nodes_ + kNodes), node);
    } else {
      return of_many<kNodes>(nodes_ + kNodes, node);
    }
  }
  template <std::size_t kNodes>
  [[gnu::always_inline]] static Vector of_many(const Key* nodes, Vector node) {
    if constexpr (kNodes == 2 * kLanes) {
      return N::of(L::load(nodes), L::load(nodes + kLanes), node);
    } else {
      constexpr std::size_t kHalf = kNodes / 2;
      return N::choose(of_many<kHalf>(nodes, node), of_many<kHalf>(nodes + kHalf, node), node,
                       static_cast<int>(kHalf));
    }
  }

  const Key* nodes_;
};

}  // namespace sortlab::cpu::quick::avx512
SORTLAB_AVX512_END
#endif

#define SORTLAB_PASTED  // see cpu/primitives/simd/kernels.hpp

#ifdef SORTLAB_X86
SORTLAB_AVX2_BEGIN
namespace sortlab::cpu::quick::avx2 {
using primitives::simd::avx2::Lanes;
  #include "cpu/quick/plain_tree_search.inl.hpp"
}  // namespace sortlab::cpu::quick::avx2
SORTLAB_AVX2_END
#endif

#ifdef SORTLAB_ARM
namespace sortlab::cpu::quick::neon {
using primitives::simd::neon::Lanes;
  #include "cpu/quick/plain_tree_search.inl.hpp"
}  // namespace sortlab::cpu::quick::neon
#endif

namespace sortlab::cpu::quick::scalar {
using primitives::simd::scalar::Lanes;
#include "cpu/quick/plain_tree_search.inl.hpp"
}  // namespace sortlab::cpu::quick::scalar

#undef SORTLAB_PASTED
