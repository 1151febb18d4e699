// The kernels of cpu/quick/simd, for the vectors of one instruction set.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #define SORTLAB_EDITOR
  #include "cpu/quick/simd/state.hpp"
  #include "cpu/quick/tree_search.hpp"
using namespace sortlab::cpu::quick::simd;
using namespace sortlab::cpu::quick;
using sortlab::cpu::quick::scalar::TreeSearch;
#endif

// clang-format off
#include "cpu/primitives/simd/coding.inl.hpp"
#include "cpu/primitives/simd/partition.inl.hpp"
// clang-format on

using quick::SORTLAB_ISA::TreeSearch;

// Distributes keys into buckets, which are chains of blocks, for cpu/quick/simd. A tree of
// partitions splits one chunk at a time in cache, and the keys of a bucket are appended in whole
// cache lines that bypass the caches.
template <class Key, bool kFloat>
struct Distribution {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  using Parts = Partition<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;
  static constexpr std::size_t kLine = kLineKeys<Key>;

  SORTLAB_INLINE void copy_line(const Key* from, Key* to) {
    for (std::size_t i = 0; i < kLine; i += kLanes) L::store(to + i, L::load(from + i));
  }
  SORTLAB_INLINE void stream_line(const Key* from, Key* to) {
    for (std::size_t i = 0; i < kLine; i += kLanes) L::stream(to + i, L::load(from + i));
  }

  /// Appends n keys to a bucket in whole cache lines; the rest waits in chains.lines. Keys that
  /// waited there are put in front of these keys, over keys that are done.
  static void append(Chains<Key>& chains, int bucket, Key* keys, std::size_t n) {
    const std::size_t waiting = chains.counts[bucket] % kLine;
    copy_line(chains.lines[bucket], keys - kLine);
    const Key* line = keys - waiting;
    Key* next = chains.next[bucket];
    for (std::size_t lines = (waiting + n) / kLine; lines > 0; --lines) {
      if (reinterpret_cast<std::uintptr_t>(next) % kBlockBytes == 0) {
        next = chains.add_block(bucket);
      }
      stream_line(line, next);
      line += kLine;
      next += kLine;
      chains.next[bucket] = next;
    }
    copy_line(keys + n - kLine, chains.lines[bucket]);
    chains.counts[bucket] += n;
  }

  static void append_rest(Chains<Key>& chains, int bucket) {
    const std::size_t waiting = chains.counts[bucket] % kLine;
    if (waiting == 0) return;
    Key* next = chains.next[bucket];
    if (reinterpret_cast<std::uintptr_t>(next) % kBlockBytes == 0) next = chains.add_block(bucket);
    std::copy_n(chains.lines[bucket] + kLine - waiting, waiting, next);
  }

  static void append_rests(Chains<Key>& chains, const Splitters<Key>& splitters) {
    for (int b = 0; b <= splitters.count; ++b) {
      if (!splitters.all_equal(b)) append_rest(chains, b);
    }
    primitives::publish_streams();
  }

  static void distribute_piece(Key* from, Key* other, std::size_t n,
                               const Splitters<Key>& splitters, int first, int last,
                               Chains<Key>& chains, const Code& code) {
    if (n == 0) return;
    if (first == last) {
      if (!splitters.all_equal(first)) return append(chains, first, from, n);
      chains.counts[first] += n;
      return;
    }
    const int mid = (first + last) / 2;
    const std::size_t left =
        Parts::template to_other<false>(from, other, n, splitters.keys[mid], code);
    distribute_piece(other, from, left, splitters, first, mid, chains, code);
    distribute_piece(other + left, from + left, n - left, splitters, mid + 1, last, chains, code);
  }

  /// Appends n keys to their buckets, in chunks that are split in cache.
  template <bool kRaw>
  static void distribute(const Key* from, std::size_t n, const Splitters<Key>& splitters,
                         ThreadState<Key>& state, const Code& code) {
    Chains<Key>& chains = state.chains;
    chains.clear(splitters.count + 1);
    const std::size_t chunk = chunk_keys<Key>(splitters.count + 1);
    Key* const first = state.scratch;
    Key* const second = state.scratch + chunk + kLine;
    const int last = splitters.count, mid = last / 2;
    for (std::size_t i = 0; i < n; i += chunk) {
      const std::size_t m = std::min(chunk, n - i);
      const std::size_t left =
          Parts::template to_other<kRaw>(from + i, first, m, splitters.keys[mid], code);
      distribute_piece(first, second, left, splitters, 0, mid, chains, code);
      distribute_piece(first + left, second + left, m - left, splitters, mid + 1, last, chains,
                       code);
    }
    append_rests(chains, splitters);
  }

  /// Copies a bucket's keys of one thread to `to`.
  static void gather(const Chains<Key>& chains, int bucket, Key* to) {
    std::uint32_t id = chains.head[bucket];
    for (std::size_t left = chains.counts[bucket]; left > 0;) {
      const std::size_t m = std::min(left, kBlockKeys<Key>);
      const Key* const block = chains.block(id);
      id = chains.following[id];
      std::size_t i = 0;
      for (; i + kLine <= m; i += kLine) copy_line(block + i, to + i);
      if (i < m) std::copy_n(block + i, m - i, to + i);
      to += m;
      left -= m;
    }
  }
};

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
      const auto v = Partition<Key, kFloat>::template load<kRaw>(batch + k, code);
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

// Handles inputs in which one key is the majority, such as a default or a zero: only the other keys
// are sorted.
template <class Key, bool kFloat>
struct Majority {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;

  /// Moves those of n keys that are below `key` to `to` and on, and those above it to the end of the n
  /// places there; where they were, it puts this key. All are the user's keys, `key` is a signed integer.
  ///
  ///   keys | key key key key ...
  ///   to   | below | free: as many as are still to be read, and those that were equal | above |
  static Sides take_out(Key* keys, Key* to, std::size_t n, Key key, const Code& code) {
    constexpr std::size_t kAtOnce = 4;  // vectors: mostly equal keys, which are only read
    const Vector coded = L::broadcast(key), users = L::broadcast(code.decode_one(key));
    Key *left = to, *right_end = to + n;
    std::size_t i = 0;
    // A whole vector is stored on each side, so there must be room for one more.
    for (; i + (kAtOnce + 1) * kLanes <= n; i += kAtOnce * kLanes) {
      Vector v[kAtOnce];
      unsigned below[kAtOnce], above[kAtOnce], different = 0;
      for (std::size_t j = 0; j < kAtOnce; ++j) {
        v[j] = L::load(keys + i + j * kLanes);
        const Vector one = code.encode(v[j]);
        below[j] = L::greater(coded, one);
        above[j] = L::greater(one, coded);
        different |= below[j] | above[j];
      }
      if (different == 0) continue;
      for (std::size_t j = 0; j < kAtOnce; ++j) {
        L::put_left(v[j], below[j], left);
        left += std::popcount(below[j]);
        right_end -= L::put_right(v[j], above[j], right_end);
        L::store(keys + i + j * kLanes, users);
      }
    }
    for (; i < n; ++i) {
      const Key one = code.encode_one(keys[i]);
      if (one < key) *left++ = keys[i];
      if (one > key) *--right_end = keys[i];
      keys[i] = code.decode_one(key);
    }
    return {static_cast<std::size_t>(left - to), static_cast<std::size_t>(to + n - right_end)};
  }
};

template <class Key, bool kFloat>
struct Kernels {
  using Code = Coding<Key, kFloat>;
  using InChunks = Distribution<Key, kFloat>;
  using Dealing = Deal<Key, kFloat>;
  using Distribute = std::conditional_t<Dealing::kPays, Dealing, InChunks>;

  static Sides take_out(Key* keys, Key* to, std::size_t n, Key key, Key flip) {
    return Majority<Key, kFloat>::take_out(keys, to, n, key, Code(flip));
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
    return {.take_out = take_out,
            .distribute_raw = distribute_raw,
            .distribute_coded = distribute_coded,
            .gather = InChunks::gather};
  }
};
