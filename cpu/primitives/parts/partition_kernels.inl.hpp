// The loops of a partition, for the vectors of one instruction set. Keys are compared as signed integers
// (Coding); `last` holds, in that form, the last key before each cut, ascending.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/parts/partition_calls.hpp"
  #include "cpu/primitives/simd/all.inl.hpp"
  #include "cpu/quick/splitter_tree.hpp"
  #include "cpu/quick/tree_search.hpp"
using namespace sortlab::cpu::parts;
#endif

template <class Key, bool kFloat>
struct Kernels {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;

  static PartitionCalls<Key> calls() { return {&count, &classify, &move}; }

  /// Adds to above[c] how many of the keys are greater than last[c].
  static void count(const Key* keys, std::size_t n, Key flip, std::span<const Key> last,
                    std::size_t* above) {
    const Code code(flip);
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const auto v = code.encode(L::load(keys + i));
      for (std::size_t c = 0; c < last.size(); ++c) {
        above[c] += static_cast<std::size_t>(std::popcount(L::greater(v, L::broadcast(last[c]))));
      }
    }
    for (; i < n; ++i) {
      const Key key = code.encode_one(keys[i]);
      for (std::size_t c = 0; c < last.size(); ++c) above[c] += key > last[c] ? 1 : 0;
    }
  }

  /// Writes into parts[i] how many cuts lie before keys[i].
  static void classify(const Key* keys, std::size_t n, Key flip, std::span<const Key> last,
                       Key* parts) {
    const Code code(flip);
    std::size_t done = 0;
    if (Search::kInRegisters && last.size() < kLeaves) done = search(keys, n, code, last, parts);
    Key block[kBlock];
    for (std::size_t i = done; i < n; ++i) block[i] = code.encode_one(keys[i]);
    if (last.size() > kFewCuts) {
      for (std::size_t i = done; i < n; ++i) {
        const auto at = std::lower_bound(last.begin(), last.end(), block[i]);
        parts[i] = static_cast<Key>(at - last.begin());
      }
      return;
    }
    std::fill(parts + done, parts + n, Key{0});
    for (const Key cut : last) {
      for (std::size_t i = done; i < n; ++i) parts[i] += block[i] > cut ? 1 : 0;
    }
  }

  /// Moves the keys of each part p to next[p], which it moves on. Nothing at or behind end[p] is written.
  static void move(const Key* keys, std::size_t n, Key flip, std::span<const Key> last, Key** next,
                   Key* const* end) {
    const Code code(flip);
    constexpr unsigned kAll = (1u << kLanes) - 1;
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const auto v = L::load(keys + i);
      const auto encoded = code.encode(v);
      unsigned rest = kAll;
      for (std::size_t p = 0; p <= last.size(); ++p) {
        const unsigned behind =
            p < last.size() ? L::greater(encoded, L::broadcast(last[p])) & rest : 0;
        const unsigned own = rest & ~behind;
        rest = behind;
        const auto count = static_cast<std::ptrdiff_t>(std::popcount(own));
        if (end[p] - next[p] >= static_cast<std::ptrdiff_t>(kLanes)) {
          L::put_left(v, own, next[p]);
        } else {
          alignas(64) Key few[kLanes];
          L::put_left(v, own, few);
          std::copy_n(few, count, next[p]);
        }
        next[p] += count;
      }
    }
    for (; i < n; ++i) {
      const Key key = code.encode_one(keys[i]);
      const auto p = std::lower_bound(last.begin(), last.end(), key) - last.begin();
      *next[p]++ = keys[i];
    }
  }

 private:
  static constexpr int kDepth = 6;
  static constexpr std::size_t kLeaves = std::size_t{1} << kDepth;
  using Search = quick::SORTLAB_ISA::TreeSearch<Key, kDepth>;

  /// The same for whole vectors of keys, whose number it returns, in a tree of the cuts.
  static std::size_t search(const Key* keys, std::size_t n, const Code& code,
                            std::span<const Key> last, Key* parts) {
    Key all[kLeaves - 1];
    std::fill(std::copy(last.begin(), last.end(), all), std::end(all), kGreatest<Key>);
    const quick::SplitterTree<Key> tree({all, static_cast<int>(kLeaves) - 1});
    const Search find(tree.nodes);
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) find(code.encode(L::load(keys + i)), parts + i);
    return i;
  }
};
