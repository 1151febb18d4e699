// Distributes keys into buckets, which are chains of blocks, for cpu/quick/simd. A tree of
// partitions splits one chunk at a time in cache, and the keys of a bucket are appended in whole
// cache lines that bypass the caches.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/quick/simd/editor.hpp"
#endif

template <class Key, bool kFloat>
struct Distribution {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  using Sort = CacheSort<Key, kFloat>;
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
        Sort::template partition<false>(from, other, n, splitters.keys[mid], code);
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
          Sort::template partition<kRaw>(from + i, first, m, splitters.keys[mid], code);
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
