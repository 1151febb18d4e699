// Partitions of keys by a pivot: from one buffer to another, and in place.
//
// In place is twice as fast once two buffers do not fit the first-level cache: the stores go to lines
// that were read just before.
// measured: 2^16 keys, 1 thread, AVX-512, ns per key: u32 0.14 (in place) vs 0.25 (to another buffer), u64
// 0.28 vs 0.52; emr2, results/emr2/partition.csv
//
// The code of keys is passed by value: through a reference, it would be read again after each store of keys.
//
// Source: Blacher et al., "Vectorized and performance-portable quicksort", 2022.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/coding.inl.hpp"
#endif

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
  static std::size_t to_other(const Key* from, Key* to, std::size_t n, Key pivot, Code code) {
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

  /// Vectors read at a time from one side, whose choice is a branch that is often predicted wrong.
  static constexpr std::size_t kStride = std::max<std::size_t>(8, 32 / kLanes);
  static constexpr std::size_t kChunk = kStride * kLanes;

  /// Moves those of n keys, at least 2 kChunk, that are above the pivot behind the others. Returns the
  /// number of the others. User's keys (kRaw) become signed integers if kEncode says so.
  template <bool kRaw, bool kEncode = kRaw>
  static std::size_t in_place(Key* keys, std::size_t n, Key pivot, Code code) {
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

  /// Moves those of n user's keys, at least 2 kChunk, that equal `more` behind the others. Returns whether all others equal
  /// `less`.
  static bool part_two(Key* keys, std::size_t n, Key less, Key more, Code code) {
    constexpr unsigned kAll = static_cast<unsigned>((std::uint64_t{1} << kLanes) - 1);
    const Vector first = L::broadcast(less), second = L::broadcast(more);
    unsigned all = kAll;
    take_from_ends<false>(
        keys, n, code,
        [&](Vector v, Ends& to) {
          const unsigned are_second = L::equal(v, second);
          all &= L::equal(v, first) | are_second;
          const std::size_t moved = L::part(v, are_second, to.left, to.right);
          to.right -= moved;
          to.left += kLanes - moved;
        },
        [&](Key key, Ends& to) {
          const bool is_second = key == more;
          if (!is_second && key != less) all = 0;
          *to.left = to.right[-1] = key;
          to.left += !is_second;
          to.right -= is_second;
        });
    return all == kAll;
  }

 private:
  /// Between what was put to the left and what was put to the right.
  struct Ends {
    Key *left, *right;
  };

  /// How far ahead of the reads lines are asked for: the processor does not foresee from which end the next chunk comes.
  static constexpr std::size_t kAhead = 4 * kChunk;

  /// Where a later cache holds the keys, two chunks at a time come from one end, and no lines are asked for.
  /// measured: us, 10^5 u32: 14 (16 vectors) vs 18 (4), 10^6: 149 vs 179, 10^7: 2124 vs 2004; a Zen 4, amd2/attempts/partition.2.txt.xz
  static constexpr std::size_t kChunksAtATime = 2;
  static bool is_in_later_caches(std::size_t n) {
    return n >= (std::size_t{1} << 15) / sizeof(Key) && n < (std::size_t{1} << 22) / sizeof(Key);
  }

  /// Takes n keys, at least 2 kChunk, and puts each to one of the ends.
  ///
  ///   | put there | free ..    | not read yet      | .. free | put there |
  ///                ^ left      ^ read     read_end ^         ^ right
  ///
  /// The saved ends make free space. Reads take keys from the side with less free space, so as many places as one
  /// read takes stay free on both sides.
  template <bool kEncode, class Put, class PutOne>
  SORTLAB_INLINE Ends take_from_ends(Key* keys, std::size_t n, const Code& code, Put put,
                                     PutOne put_one) {
    return is_in_later_caches(n) ? take_chunks<kEncode, kChunksAtATime>(keys, n, code, put, put_one)
                                 : take_chunks<kEncode, 1>(keys, n, code, put, put_one);
  }

  template <bool kEncode, std::size_t kChunks, class Put, class PutOne>
  SORTLAB_INLINE Ends take_chunks(Key* keys, std::size_t n, const Code& code, Put put,
                                  PutOne put_one) {
    constexpr std::size_t kRead = kChunks * kChunk;
    alignas(64) Key saved[3 * kRead];
    std::copy_n(keys, kRead, saved);
    std::copy_n(keys + n - kRead, kRead, saved + kRead);
    Ends to{keys, keys + n};
    const Key *read = keys + kRead, *read_end = keys + n - kRead;
    while (static_cast<std::size_t>(read_end - read) >= kRead) {
      const Key* from;
      std::ptrdiff_t next = kChunk;
      if (read - to.left <= to.right - read_end) {
        from = read;
        read += kRead;
      } else {
        from = read_end - kChunk;
        read_end -= kRead;
        next = -next;
      }
      if constexpr (kChunks == 1) {
        constexpr std::size_t kLine = 64 / sizeof(Key);
        const Key* const ahead = next > 0 ? from + kAhead : from - kAhead;
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kChunk; i += kLine) __builtin_prefetch(ahead + i);
      }
      for (std::size_t chunk = 0; chunk < kChunks; ++chunk, from += next) {
        Vector v[kStride];
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kStride; ++i) v[i] = load<kEncode>(from + i * kLanes, code);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kStride; ++i) put(v[i], to);
      }
    }
    const auto rest = static_cast<std::size_t>(read_end - read);
    std::copy_n(read, rest, saved + 2 * kRead);
    const std::size_t left_over = 2 * kRead + rest;
    std::size_t i = 0;
    for (; i + 2 * kLanes <= left_over; i += kLanes) put(load<kEncode>(saved + i, code), to);
    for (; i < left_over; ++i) put_one(kEncode ? code.encode_one(saved[i]) : saved[i], to);
    return to;
  }
};
