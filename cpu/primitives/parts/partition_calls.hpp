// The loops of a partition that are compiled for each instruction set: see partition_kernels.inl.hpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace sortlab::cpu::parts {

/// Keys that are classified at a time, and cuts that all keys are compared with. With more, a search takes
/// fewer steps.
inline constexpr std::size_t kBlock = 1024, kFewCuts = 32;

/// Keys that are dealt to many parts at a time: a block of 128 KiB and its copy fit into second-level caches.
template <class Key>
inline constexpr std::size_t kDealt = (std::size_t{128} << 10) / sizeof(Key);

/// Levels of a tree of cuts, whose nodes AVX-512 has in registers.
inline constexpr std::size_t kTreeDepth = 6;

/// The last keys before each cut, ascending: as a list and, if they are fewer than 2^kTreeDepth, as a search
/// tree. The children of node i, from 1 on, are 2 i and 2 i + 1.
template <class Key>
struct CutTree {
  std::vector<Key> last;
  std::vector<Key> nodes;  // none if there is no tree

  explicit CutTree(std::vector<Key> ascending) : last(std::move(ascending)) {
    constexpr std::size_t kLeaves = std::size_t{1} << kTreeDepth;
    if (last.size() >= kLeaves) return;
    nodes.resize(kLeaves);
    for (std::size_t level = 0; level < kTreeDepth; ++level) {
      const std::size_t first = std::size_t{1} << level, step = kLeaves >> level;
      for (std::size_t i = 0; i < first; ++i) {
        const std::size_t cut = i * step + step / 2 - 1;
        nodes[first + i] = cut < last.size() ? last[cut] : std::numeric_limits<Key>::max();
      }
    }
  }
};

template <class Key>
struct PartitionCalls {
  void (*count)(const Key* keys, std::size_t n, Key flip, const CutTree<Key>& cuts,
                std::size_t* above);
  void (*classify)(const Key* keys, std::size_t n, Key flip, const CutTree<Key>& cuts, Key* parts);
  void (*move)(const Key* keys, std::size_t n, Key flip, const CutTree<Key>& cuts, Key** next,
               Key* const* end);
  void (*deal)(const Key* keys, std::size_t n, Key flip, const CutTree<Key>& cuts, Key** next,
               Key* scratch);
};

}  // namespace sortlab::cpu::parts
