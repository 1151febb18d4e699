// The kernels that several sorts share: sorts in registers, the look for keys in order, partitions, and
// the sort of keys in a cache. Each uses those above it.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #define SORTLAB_EDITOR
  #include "cpu/primitives/simd/lanes.hpp"
#endif

#include "cpu/primitives/simd/register_sort.inl.hpp"

// Checks whether keys are in order already.

/// Compares keys with the keys before them. As long as all keys are equal, it looks first whether the next ones are equal,
/// too, which needs no order. Once the keys rise, it looks only for a fall, and the other way round.
template <class Key, bool kFloat>
struct Look {
  using L = Lanes<Key>;
  static constexpr std::size_t kLanes = L::kCount, kKeys = 64 * kLanes;
  static constexpr unsigned kBoth = kAscending | kDescending;

  /// Whether kKeys keys each equal the key before.
  static bool are_alike(const Key* keys) {
    const Key* const before = keys - 1;
    Key different = 0;
    for (std::size_t i = 0; i < kKeys; ++i) different |= keys[i] ^ before[i];
    return different == 0;
  }

  /// The orders of `kAsked` in which kKeys keys follow the keys before.
  template <unsigned kAsked>
  static unsigned orders(const Key* keys, const Coding<Key, kFloat>& code) {
    constexpr std::size_t kLine = 64 / sizeof(Key), kAhead = 2048 / sizeof(Key);
    unsigned falls = 0, rises = 0;
    for (std::size_t i = 0; i < kKeys; i += kLanes) {
      if (i % kLine == 0) __builtin_prefetch(keys + i + kAhead);
      const auto before = code.encode(L::load(keys + i - 1)), at = code.encode(L::load(keys + i));
      if constexpr ((kAsked & kAscending) != 0) falls |= L::greater(before, at);
      if constexpr ((kAsked & kDescending) != 0) rises |= L::greater(at, before);
    }
    return kAsked & ((falls == 0 ? kAscending : 0) | (rises == 0 ? kDescending : 0));
  }

  /// Which of the orders `asked` hold for kKeys keys more.
  static unsigned go_on(unsigned asked, const Key* keys, const Coding<Key, kFloat>& code) {
    if (asked == kAscending) return orders<kAscending>(keys, code);
    if (asked == kDescending) return orders<kDescending>(keys, code);
    return are_alike(keys) ? kBoth : orders<kBoth>(keys, code);
  }
};

/// Whether n keys are ascending (kAscending), descending (kDescending), both or neither.
template <class Key, bool kFloat>
unsigned look(const Key* keys, std::size_t n, Key flip) {
  using Part = Look<Key, kFloat>;
  const Coding<Key, kFloat> code(flip);
  unsigned sequence = Part::kBoth;
  std::size_t i = 1;
  for (; i + Part::kKeys <= n && sequence != 0; i += Part::kKeys) {
    sequence = Part::go_on(sequence, keys + i, code);
  }
  if (i > 1 && sequence != 0) return Part::go_on(sequence, keys + n - Part::kKeys, code);
  for (; i < n && sequence != 0; ++i) {
    const Key before = code.encode_one(keys[i - 1]), at = code.encode_one(keys[i]);
    if (before > at) sequence &= ~kAscending;
    if (at > before) sequence &= ~kDescending;
  }
  return sequence;
}

// Partitions of keys by a pivot: from one buffer to another, and in place.
//
// In place is twice as fast once two buffers do not fit the first-level cache: the stores go to lines
// that were read just before.
// measured: 2^16 keys, 1 thread, AVX-512, ns per key: u32 0.14 (in place) vs 0.25 (to another buffer), u64
// 0.28 vs 0.52; emr2, results/emr2/partition.csv
//
// Source: Blacher et al., "Vectorized and performance-portable quicksort", 2022.
template <class Key, bool kFloat>
struct Partition {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;

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
  static std::size_t to_other(const Key* from, Key* to, std::size_t n, Key pivot,
                              const Code& code) {
    if (n < 2 * kLanes) return few_to_other<kRaw>(from, to, n, pivot, code);
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
  static std::size_t few_to_other(const Key* from, Key* to, std::size_t n, Key pivot,
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

  static constexpr std::size_t kStride =  // vectors read at a time from one side
      std::max<std::size_t>(4, 32 / kLanes);
  static constexpr std::size_t kChunk = kStride * kLanes;

  /// Moves those of n keys, at least 2 kChunk, that are above the pivot behind the others. Returns the
  /// number of the others. User's keys (kRaw) become signed integers if kEncode says so.
  template <bool kRaw, bool kEncode = kRaw>
  static std::size_t in_place(Key* keys, std::size_t n, Key pivot, const Code& code) {
    constexpr bool kStaysRaw = kRaw && !kEncode;
    const Vector pivots = L::broadcast(pivot);
    const Ends ends = take_from_ends<kEncode>(
        keys, n, code,
        [&](Vector v, Ends& to) {
          const Vector coded = kStaysRaw ? code.encode(v) : v;
          const std::size_t above = L::part(v, L::greater(coded, pivots), to.left, to.right);
          to.right -= above;
          to.left += kLanes - above;
        },
        [&](Key key, Ends& to) {
          const bool above = (kStaysRaw ? code.encode_one(key) : key) > pivot;
          *to.left = to.right[-1] = key;
          to.left += !above;
          to.right -= above;
        });
    return static_cast<std::size_t>(ends.left - keys);
  }

  struct Sides {
    std::size_t below, above;
  };

  /// Moves those of n user's keys, at least 2 kChunk, that are below the pivot to the front and those above it to the end.
  /// Keys that equal it are not moved but written, since they are alike.
  static Sides around(Key* keys, std::size_t n, Key pivot, const Code& code) {
    const Vector pivots = L::broadcast(pivot);
    const Ends ends = take_from_ends<false>(
        keys, n, code,
        [&](Vector v, Ends& to) {
          const Vector coded = code.encode(v);
          const unsigned above = L::greater(coded, pivots), below = L::greater(pivots, coded);
          L::put_left(v, below, to.left);
          to.right -= L::put_right(v, above, to.right);
          to.left += static_cast<std::size_t>(std::popcount(below));
        },
        [&](Key key, Ends& to) {
          const Key coded = code.encode_one(key);
          *to.left = to.right[-1] = key;
          to.left += coded < pivot;
          to.right -= coded > pivot;
        });
    std::fill(ends.left, ends.right, code.decode_one(pivot));
    return {static_cast<std::size_t>(ends.left - keys),
            static_cast<std::size_t>(keys + n - ends.right)};
  }

 private:
  /// Between what was put to the left and what was put to the right.
  struct Ends {
    Key *left, *right;
  };

  /// How far ahead of the reads lines are asked for: the processor does not foresee from which end the next chunk comes.
  static constexpr std::size_t kAhead = 4 * kChunk;

  /// Takes n keys, at least 2 kChunk, and puts each to one of the ends, or to neither.
  ///
  ///   | put there | free ..    | not read yet      | .. free | put there |
  ///                ^ left      ^ read     read_end ^         ^ right
  ///
  /// Two saved chunks make free space. Reads take keys from the side with less free space, so a
  /// chunk stays free on both sides.
  template <bool kEncode, class Put, class PutOne>
  SORTLAB_INLINE Ends take_from_ends(Key* keys, std::size_t n, const Code& code, Put put,
                                     PutOne put_one) {
    alignas(64) Key saved[3 * kChunk];
    std::copy_n(keys, kChunk, saved);
    std::copy_n(keys + n - kChunk, kChunk, saved + kChunk);
    Ends to{keys, keys + n};
    const Key *read = keys + kChunk, *read_end = keys + n - kChunk;
    while (static_cast<std::size_t>(read_end - read) >= kChunk) {
      const Key* from;
      const Key* ahead;
      if (read - to.left <= to.right - read_end) {
        from = read;
        read += kChunk;
        ahead = from + kAhead;
      } else {
        read_end -= kChunk;
        from = read_end;
        ahead = from - kAhead;
      }
      constexpr std::size_t kLine = 64 / sizeof(Key);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kChunk; i += kLine) __builtin_prefetch(ahead + i);
      Vector v[kStride];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kStride; ++i) v[i] = load<kEncode>(from + i * kLanes, code);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kStride; ++i) put(v[i], to);
    }
    const auto rest = static_cast<std::size_t>(read_end - read);
    std::copy_n(read, rest, saved + 2 * kChunk);
    const std::size_t left_over = 2 * kChunk + rest;
    std::size_t i = 0;
    for (; i + 2 * kLanes <= left_over; i += kLanes) put(load<kEncode>(saved + i, code), to);
    for (; i < left_over; ++i) put_one(kEncode ? code.encode_one(saved[i]) : saved[i], to);
    return to;
  }
};

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
    alignas(64) Key spare[kMostTwoBuffers];
    sort<kRaw>(from, spare, to, n, kLevels, code);
  }

 private:
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
