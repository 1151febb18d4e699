// The kernels that several sorts share: the look for keys in order, partitions, sorts in registers, and
// the sort of keys in a cache. Each uses those above it.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #define SORTLAB_EDITOR
  #include "cpu/primitives/simd/lanes.hpp"
#endif

// clang-format off
#include "cpu/primitives/simd/coding.inl.hpp"
#include "cpu/primitives/simd/partition.inl.hpp"
#include "cpu/primitives/simd/register_sort.inl.hpp"
// clang-format on

// Sorts keys in place by quicksort, with many pivots from a sample.
//
//   keys   | large piece: partitioned in place                    |
//   keys   | 16 KiB | 16 KiB | ..     smaller pieces: to the spare buffer and back,
//   spare  | 16 KiB |                 which stays in the first-level cache
//   keys   | sorted | ..              up to 16 vectors: in registers
//
// Fast while the keys fit the caches. Used by cpu/quick/simd, cpu/quick/in_place, cpu/radix/simd and
// cpu/radix/pairs.
template <class Key, bool kFloat>
struct CacheSort {
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  using Small = RegisterSort<Key, kFloat>;
  using Parts = Partition<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;

  /// The most keys that are sorted in registers.
  static constexpr std::size_t kBlock = Small::kKeys;

  static void fill(Key* to, std::size_t n, Key key, const Code& code) {
    const Key users = code.decode_one(key);
    const auto v = L::broadcast(users);
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) L::store(to + i, v);
    for (; i < n; ++i) to[i] = users;
  }

  /// The aimed-for number of keys in a final piece.
  static constexpr std::size_t kPiece = kBlock * 5 / 8;
  static constexpr int kMostWays = 40;
  /// How often a piece is split, at most.
  static constexpr int kLevels = 24;

  /// Into how many pieces one round splits n keys.
  static int ways(std::size_t n) {
    const std::size_t pieces = n / kPiece + 1;
    if (pieces <= kMostWays) return std::max(4, static_cast<int>(pieces));
    return static_cast<int>(std::clamp<std::size_t>(pieces / (kMostWays / 2), 4, 16));
  }
  static std::size_t sample_size(std::size_t n) {
    return n <= 4 * kBlock ? kBlock / 4 : n <= 8 * kBlock ? kBlock / 2 : kBlock;
  }

  /// Copies `count` keys from evenly spread places of n, but not at equal distances.
  template <bool kRaw>
  static void take_sample(const Key* from, std::size_t n, Key* sample, std::size_t count,
                          const Code& code) {
    const std::size_t step = (n << 16) / count;  // in 65536ths
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t within = step * (i * 40503 & 0xFFFF) >> 16;
      const Key key = from[(i * step + within) >> 16];
      sample[i] = kRaw ? code.encode_one(key) : key;
    }
  }

  /// The largest piece that is partitioned from one buffer to another.
  static constexpr std::size_t kMostTwoBuffers = (std::size_t{16} << 10) / sizeof(Key);

  /// Sorts n keys of `from`, which are overwritten, as the user's to `to`, which may be `from`.
  template <bool kRaw>
  static void sort(Key* from, Key* to, std::size_t n, const Code& code) {
    if (n <= kBlock) return Small::template sort<kRaw, true>(from, to, n, code);
    sort_larger<kRaw>(from, to, n, code);
  }

 private:
  // Not inlined: many pieces are small, and need no spare buffer.
  template <bool kRaw>
  [[gnu::noinline]] static void sort_larger(Key* from, Key* to, std::size_t n, const Code& code) {
    alignas(64) Key spare[kMostTwoBuffers];
    sort<kRaw>(from, spare, to, n, kLevels, code);
  }
  template <bool kRaw>
  static void sort(Key* from, Key* spare, Key* to, std::size_t n, int levels, const Code& code) {
    if (n <= kBlock) return Small::template sort<kRaw, true>(from, to, n, code);
    if (levels == 0) return sort_by_heap<kRaw>(from, to, n, code);
    using Plain = CacheSort<Key, false>;
    alignas(64) Key sample[kBlock];
    const std::size_t sampled = sample_size(n);
    take_sample<kRaw>(from, n, sample, sampled, code);
    RegisterSort<Key, false>::template sort<false, true>(sample, sample, sampled,
                                                         typename Plain::Code(0));
    Key keys[kMostWays];
    const Splitters<Key> splitters = choose_splitters(sample, sampled, ways(n), keys);
    split<kRaw>(from, spare, to, n, splitters, 0, splitters.count, levels - 1, code);
  }

  /// The same for keys of the pieces [first, last] between the splitters.
  template <bool kRaw>
  static void split(Key* from, Key* spare, Key* to, std::size_t n, const Splitters<Key>& splitters,
                    int first, int last, int levels, const Code& code) {
    if (n <= kBlock) return Small::template sort<kRaw, true>(from, to, n, code);
    if constexpr (!kRaw) {
      if (first == last) {
        if (!splitters.all_equal(first)) return sort<false>(from, spare, to, n, levels, code);
        return fill(to, n, splitters.upper(first), code);
      }
    }
    const int mid = (first + last) / 2;
    const Key pivot = splitters.keys[mid];
    std::size_t left;
    if (n > kMostTwoBuffers) {
      left = Parts::template in_place<kRaw>(from, n, pivot, code);
      split<false>(from, spare, to, left, splitters, first, mid, levels, code);
      split<false>(from + left, spare, to + left, n - left, splitters, mid + 1, last, levels, code);
    } else {
      left = Parts::template to_other<kRaw>(from, spare, n, pivot, code);
      split<false>(spare, from, to, left, splitters, first, mid, levels, code);
      split<false>(spare + left, from + left, to + left, n - left, splitters, mid + 1, last, levels,
                   code);
    }
  }

  template <bool kRaw>
  static void sort_by_heap(const Key* from, Key* to, std::size_t n, const Code& code) {
    for (std::size_t i = 0; i < n; ++i) to[i] = kRaw ? code.encode_one(from[i]) : from[i];
    std::make_heap(to, to + n);
    std::sort_heap(to, to + n);
    for (std::size_t i = 0; i < n; ++i) to[i] = code.decode_one(to[i]);
  }
};
