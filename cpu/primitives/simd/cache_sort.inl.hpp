// Sorts keys that fit into a cache together with a copy: quicksort with many pivots from a sample.
// Keys are partitioned from one buffer to the other; few keys are sorted in registers. Used by
// cpu/quick/simd, cpu/quick/in_place, cpu/radix/simd and cpu/radix/pairs.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/register_sort.inl.hpp"
#endif

template <class Key, bool kFloat>
struct CacheSort {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;
  using Small = RegisterSort<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;

  /// The most keys that are sorted in registers.
  static constexpr std::size_t kBlock = Small::kKeys;

  // ---- Partition

  template <bool kRaw>
  SORTLAB_INLINE Vector load(const Key* from, const Code& code) {
    const Vector v = L::load(from);
    if constexpr (kRaw) return code.encode(v);
    return v;
  }

  /// Moves n keys of `from` to `to`, those above the pivot behind the others. Returns the number of
  /// the others.
  ///
  ///   from | read already        | v v v v | ...           |
  ///   to   | not above | free                    | above   |
  ///         right_end - n + i ^           right_end ^
  ///
  /// A whole vector is stored on both sides: the free places are as many as the keys that are still
  /// to be read, including this vector's.
  template <bool kRaw>
  static std::size_t partition(const Key* from, Key* to, std::size_t n, Key pivot,
                               const Code& code) {
    if (n < 2 * kLanes) return partition_few<kRaw>(from, to, n, pivot, code);
    const Vector pivots = L::broadcast(pivot);
    Key* right_end = to + n;
    const std::size_t rest = n % kLanes;
    if (rest != 0) {  // first, while there is enough room for whole vectors
      constexpr unsigned kAll = (1u << kLanes) - 1;
      const unsigned ours = kAll & ~(kAll >> rest);
      const Vector v = load<kRaw>(from + n - kLanes, code);
      const unsigned above = L::greater(v, pivots) & ours;
      L::put_left(v, above ^ ours, to);
      right_end -= L::put_right(v, above, right_end);
    }
    const Key* const end = from + n - rest;
    const std::ptrdiff_t to_left =
        static_cast<std::ptrdiff_t>(n) - static_cast<std::ptrdiff_t>(rest);
    std::ptrdiff_t i = -to_left;
#pragma GCC unroll 4
    for (; i < 0; i += static_cast<std::ptrdiff_t>(kLanes)) {
      const Vector v = load<kRaw>(end + i, code);
      right_end -= L::part(v, L::greater(v, pivots), right_end + i, right_end);
    }
    return static_cast<std::size_t>(right_end - to);
  }

  template <bool kRaw>
  static std::size_t partition_few(const Key* from, Key* to, std::size_t n, Key pivot,
                                   const Code& code) {
    Key *left = to, *right_end = to + n;
    for (std::size_t i = 0; i < n; ++i) {
      const Key key = kRaw ? code.encode_one(from[i]) : from[i];
      const bool above = key > pivot;
      *left = key;
      right_end[-1] = key;
      left += !above;
      right_end -= above;
    }
    return static_cast<std::size_t>(left - to);
  }

  // ---- Sort in cache

  static void fill(Key* to, std::size_t n, Key key, const Code& code) {
    const Key users = code.decode_one(key);
    const Vector v = L::broadcast(users);
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) L::store(to + i, v);
    for (; i < n; ++i) to[i] = users;
  }

  /// The aimed-for number of keys in a final piece.
  static constexpr std::size_t kPiece = kBlock * 5 / 8;
  static constexpr int kMostWays = 40;

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

  /// Sorts n keys of `from` as user's keys, there or into `other`; both are overwritten.
  template <bool kRaw>
  static void sort(Key* from, Key* other, bool in_place, std::size_t n, int levels,
                   const Code& code) {
    if (n <= kBlock)
      return Small::template sort<kRaw, true>(from, in_place ? from : other, n, code);
    if (levels == 0) return sort_by_heap<kRaw>(from, in_place ? from : other, n, code);
    using Plain = CacheSort<Key, false>;
    alignas(64) Key sample[kBlock];
    const std::size_t sampled = sample_size(n);
    take_sample<kRaw>(from, n, sample, sampled, code);
    RegisterSort<Key, false>::template sort<false, true>(sample, sample, sampled,
                                                         typename Plain::Code(0));
    Key keys[kMostWays];
    const Splitters<Key> splitters = choose_splitters(sample, sampled, ways(n), keys);
    split<kRaw>(from, other, in_place, n, splitters, 0, splitters.count, levels - 1, code);
  }

  /// The same for keys of the pieces [first, last] between the splitters.
  template <bool kRaw>
  static void split(Key* from, Key* other, bool in_place, std::size_t n,
                    const Splitters<Key>& splitters, int first, int last, int levels,
                    const Code& code) {
    if (n <= kBlock)
      return Small::template sort<kRaw, true>(from, in_place ? from : other, n, code);
    if constexpr (!kRaw) {
      if (first == last) {
        if (!splitters.all_equal(first)) return sort<false>(from, other, in_place, n, levels, code);
        return fill(in_place ? from : other, n, splitters.upper(first), code);
      }
    }
    const int mid = (first + last) / 2;
    const std::size_t left = partition<kRaw>(from, other, n, splitters.keys[mid], code);
    split<false>(other, from, !in_place, left, splitters, first, mid, levels, code);
    split<false>(other + left, from + left, !in_place, n - left, splitters, mid + 1, last, levels,
                 code);
  }

  template <bool kRaw>
  static void sort_by_heap(const Key* from, Key* to, std::size_t n, const Code& code) {
    for (std::size_t i = 0; i < n; ++i) to[i] = kRaw ? code.encode_one(from[i]) : from[i];
    heap_sort(Items<Key, NoValue>{to, nullptr}, 0, n, std::less{});
    for (std::size_t i = 0; i < n; ++i) to[i] = code.decode_one(to[i]);
  }
};
