// Distributes keys for cpu/quick/simd if searches run in registers: keys go to buffers, one per
// group of buckets, and partitions split a full buffer in cache.
//
//   keys      | batch | batch | ...                     all looked up, then moved key by key
//   buffers   | group 0 .. | | group 1 ..... | | ...
//   chains    bucket 0, 1, ... of the group             a buffer's keys, split in L1
//
// Over Distribution, which partitions a chunk of half a MiB level by level: one search and one
// store per key replace six of its levels, most of which go through the second-level cache. Memory
// is read evenly, not in bursts.
// measured: 2^24, 1 thread, 1022 buckets, ns per key: u64 3.0 (this) vs 3.7 (Distribution), u32 1.65 vs
// 1.9; a Sapphire Rapids Xeon, quick_simd.one_core.txt
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/quick/simd/distribution.inl.hpp"
#endif

template <class Key, bool kFloat>
struct Deal {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  using Parts = Distribution<Key, kFloat>;
  using Group = std::make_unsigned_t<Key>;
  using Counts = Lanes<std::int32_t>;

  static constexpr int kDepth = 6, kGroups = 1 << kDepth;
  using Search = TreeSearch<Key, kDepth>;
  static constexpr bool kPays = Search::kInRegisters;

  // Keys that are looked up before any of them moves. A buffer is split when it might not have room
  // for as many more keys.
  static constexpr std::size_t kBatch = 128;
  // A buffer and its copy fit into L1 twice, because a core may run two threads. 4 and 16 KiB are
  // slower.
  static constexpr std::size_t kBuffer = (std::size_t{8} << 10) / sizeof(Key);
  // One line apart, because Parts::append overwrites a line.
  static constexpr std::size_t kStride = kBuffer + kLineKeys<Key>;
  static_assert((kGroups + 1) * kStride <= kScratchKeys<Key>);

  /// Groups with about equally many buckets; some are empty if there are fewer buckets than groups.
  struct Groups {
    int buckets;
    int first(int g) const { return (g * buckets + kGroups - 1) / kGroups; }
    int last(int g) const { return first(g + 1) - 1; }
  };
  static SplitterTree<Key> tree_of(const Splitters<Key>& splitters, const Groups& groups,
                                   Key* upper) {
    for (int g = 0; g + 1 < kGroups; ++g) upper[g] = splitters.upper(groups.last(g));
    return SplitterTree<Key>({upper, kGroups - 1});
  }

  /// The buffers of a thread, and one for splitting them.
  struct Buffers {
    Key* keys;
    alignas(64) std::int32_t next[kGroups];  // where in `keys` the next key of a group goes
    alignas(64) std::int32_t nearly_full[kGroups];

    static constexpr std::int32_t begin(int g) { return static_cast<std::int32_t>(g * kStride); }
    explicit Buffers(Key* memory) : keys(memory) {
      for (int g = 0; g < kGroups; ++g) {
        next[g] = begin(g);
        nearly_full[g] = static_cast<std::int32_t>(begin(g) + kBuffer - kBatch);
      }
    }
    Key* of(int g) { return keys + begin(g); }
    Key* spare() { return keys + begin(kGroups); }
    /// Returns the number of keys in a buffer and marks it as empty.
    std::size_t take(int g) {
      return static_cast<std::size_t>(std::exchange(next[g], begin(g)) - begin(g));
    }
  };

  /// Appends n keys to their buckets.
  template <bool kRaw>
  static void distribute(const Key* from, std::size_t n, const Splitters<Key>& splitters,
                         ThreadState<Key>& state, const Code& code) {
    state.chains.clear(splitters.count + 1);
    const Groups groups{splitters.count + 1};
    Key upper[kGroups];
    const SplitterTree<Key> tree = tree_of(splitters, groups, upper);
    const Search search(tree.nodes);
    Buffers buffers(state.scratch);
    const auto split = [&](int g) {
      Parts::distribute_piece(buffers.of(g), buffers.spare(), buffers.take(g), splitters,
                              groups.first(g), groups.last(g), state.chains, code);
    };
    std::size_t i = 0;
    for (; i + kBatch <= n; i += kBatch) {
      deal<kRaw>(from + i, kBatch, search, buffers, code);
      for (int g = 0; g < kGroups; g += static_cast<int>(Counts::kCount)) {
        unsigned full =
            Counts::greater(Counts::load(buffers.next + g), Counts::load(buffers.nearly_full + g));
        for (; full != 0; full &= full - 1) split(g + std::countr_zero(full));
      }
    }
    if (i < n) {
      Key rest[kBatch] = {};
      std::copy_n(from + i, n - i, rest);
      deal<kRaw>(rest, n - i, search, buffers, code);
    }
    for (int g = 0; g < kGroups; ++g) split(g);
    Parts::append_rests(state.chains, splitters);
  }

  /// Moves the first n keys of a batch to their buffers.
  template <bool kRaw>
  SORTLAB_INLINE void deal(const Key* batch, std::size_t n, const Search& search, Buffers& buffers,
                           const Code& code) {
    alignas(64) Key keys[kBatch];
    alignas(64) Group groups[kBatch];
    for (std::size_t k = 0; k < kBatch; k += L::kCount) {
      const auto v = CacheSort<Key, kFloat>::template load<kRaw>(batch + k, code);
      L::store(keys + k, v);
      search(v, groups + k);
    }
    if (n == kBatch && all_same(groups)) {
      Key* const to = buffers.keys + buffers.next[groups[0]];
      for (std::size_t k = 0; k < kBatch; k += L::kCount) L::store(to + k, L::load(keys + k));
      buffers.next[groups[0]] += kBatch;
      return;
    }
#pragma GCC unroll 16
    for (std::size_t k = 0; k < n; ++k) {
      const auto at = static_cast<std::uint32_t>(buffers.next[groups[k]]);
      buffers.keys[at] = keys[k];
      buffers.next[groups[k]] = static_cast<std::int32_t>(at + 1);
    }
  }
  /// Whether a batch goes to one buffer, as in partly ordered input. Moved key by key, each would
  /// wait for the one before.
  static bool all_same(const Group* groups) {
    if (groups[0] != groups[kBatch - 1]) return false;
    return std::all_of(groups, groups + kBatch, [&](Group g) { return g == groups[0]; });
  }
};
