// Splitters as a search tree.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>

#include "cpu/primitives/cache_line.hpp"
#include "cpu/primitives/simd/splitters.hpp"

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
