// The loops of a partition, for the vectors of one instruction set. Keys are compared as signed integers
// (Coding); the tree holds the cuts in that form.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/intrinsics.hpp"
  #include "cpu/primitives/parts/partition_calls.hpp"
  #include "cpu/primitives/simd/kernels.inl.hpp"
  #include "cpu/quick/tree_search.hpp"
using namespace sortlab::cpu::parts;
#endif

template <class Key, bool kFloat>
struct Kernels {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;

  static PartitionCalls<Key> calls() { return {&count, &classify, &move, &deal}; }

  /// Adds to above[c] how many of the keys are greater than last[c].
  static void count(const Key* keys, std::size_t n, Key flip, const CutTree<Key>& cuts,
                    std::size_t* above) {
    const Code code(flip);
    const std::vector<Key>& last = cuts.last;
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
  static void classify(const Key* keys, std::size_t n, Key flip, const CutTree<Key>& cuts,
                       Key* parts) {
    const Code code(flip);
    const std::vector<Key>& last = cuts.last;
    std::size_t done = 0;
    if (Search::kInRegisters && !cuts.nodes.empty()) done = search(keys, n, code, cuts, parts);
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
  static void move(const Key* keys, std::size_t n, Key flip, const CutTree<Key>& cuts, Key** next,
                   Key* const* end) {
    const Code code(flip);
    const std::vector<Key>& last = cuts.last;
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

  /// The same for many parts, by blocks: a block is partitioned in a cache until each part's keys are together,
  /// which then go to the part in whole lines. `scratch` has room for kDealt keys.
  ///
  ///   block   | 5 1 8 2 9 3 7 6 |  ->  | 1 2 3 | 5 7 8 6 9 |  ->  | 1 2 | 3 | 5 6 | 7 8 9 |
  ///
  /// Not stable, which keys alone do not need.
  static void deal(const Key* keys, std::size_t n, Key flip, const CutTree<Key>& cuts, Key** next,
                   Key* scratch) {
    const Code code(flip);
    for (std::size_t begin = 0; begin < n; begin += kDealt<Key>) {
      const std::size_t count = std::min(kDealt<Key>, n - begin), parts = cuts.last.size();
      const std::size_t mid = parts / 2;
      const Key pivot = parts == 0 ? kGreatest<Key> : cuts.last[mid];
      const std::size_t left =
          InCache::template to_other<true>(keys + begin, scratch, count, pivot, code);
      deal_block(scratch, left, cuts.last, 0, mid, code, next);
      deal_block(scratch + left, count - left, cuts.last, mid + 1, parts, code, next);
    }
  }

 private:
  using Search = quick::SORTLAB_ISA::TreeSearch<Key, kTreeDepth>;
  using InCache = Partition<Key, kFloat>;

  /// Keys of the parts first_part .. last_part.
  static void deal_block(Key* keys, std::size_t n, const std::vector<Key>& last,
                         std::size_t first_part, std::size_t last_part, const Code& code,
                         Key** next) {
    if (n == 0) return;
    if (first_part == last_part) {
      write(keys, n, code, next[first_part]);
      next[first_part] += n;
      return;
    }
    const std::size_t mid = (first_part + last_part) / 2;
    const std::size_t left = partition(keys, n, last[mid], code);
    deal_block(keys, left, last, first_part, mid, code, next);
    deal_block(keys + left, n - left, last, mid + 1, last_part, code, next);
  }

  static std::size_t partition(Key* keys, std::size_t n, Key pivot, const Code& code) {
    constexpr std::size_t kFew = 2 * InCache::kChunk;
    if (n >= kFew) return InCache::template in_place<false>(keys, n, pivot, code);
    Key few[kFew];
    const std::size_t left = InCache::template to_other<false>(keys, few, n, pivot, code);
    std::copy_n(few, n, keys);
    return left;
  }

  /// Decodes keys to where they go. Whole lines bypass the caches.
  static void write(const Key* keys, std::size_t n, const Code& code, Key* to) {
    constexpr std::size_t kLine = primitives::kLineKeys<Key>;
    const std::size_t lead = reinterpret_cast<std::uintptr_t>(to) / sizeof(Key) % kLine;
    std::size_t i = 0;
    for (; i < n && (i + lead) % kLine != 0; ++i) to[i] = code.decode_one(keys[i]);
    for (; i + kLine <= n; i += kLine) {
      for (std::size_t k = 0; k < kLine; k += kLanes) {
        L::stream(to + i + k, code.decode(L::load(keys + i + k)));
      }
    }
    for (; i < n; ++i) to[i] = code.decode_one(keys[i]);
  }

  /// Classifies whole vectors of keys, whose number it returns.
  static std::size_t search(const Key* keys, std::size_t n, const Code& code,
                            const CutTree<Key>& cuts, Key* parts) {
    const Search find(cuts.nodes.data());
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) find(code.encode(L::load(keys + i)), parts + i);
    return i;
  }
};
