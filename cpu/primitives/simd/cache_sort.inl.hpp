// A sort of keys that fit a cache, with room for a copy of them: quicksort by many pivots from a
// sample. Keys are partitioned from one buffer to the other; few keys are sorted in registers. Used by
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

  /// Moves n keys of `from` to `to`, those above the pivot behind the others, whose number it
  /// returns.
  ///
  ///   from | read already        | v v v v | ...           |
  ///   to   | not above | free                    | above   |
  ///         right_end - n + i ^           right_end ^
  ///
  /// A vector is stored whole on both sides: so many places are free there as keys are still to be
  /// read, this vector's among them.
  template <bool kRaw>
  static std::size_t partition(const Key* from, Key* to, std::size_t n, Key pivot,
                               const Code& code) {
    if (n < 2 * kLanes) return partition_few<kRaw>(from, to, n, pivot, code);
    const Vector pivots = L::broadcast(pivot);
    Key* right_end = to + n;
    const std::size_t rest = n % kLanes;
    if (rest != 0) {  // first, when there is room enough for whole vectors
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

  static constexpr std::size_t kStride =  // vectors read at a time from one side
      std::max<std::size_t>(4, 32 / kLanes);
  static constexpr std::size_t kChunk = kStride * kLanes;

  /// Moves those of n keys, at least 2 kChunk, that are above the pivot behind the others, whose
  /// number it returns.
  ///
  ///   | not above | free ..  | not read yet      | .. free | above |
  ///                ^ left     ^ read     read_end ^         ^ right
  ///
  /// Two chunks lifted out make room. Reading from the side with less of it leaves a chunk's room on
  /// both sides.
  template <bool kRaw>
  static std::size_t partition_in_place(Key* keys, std::size_t n, Key pivot, const Code& code) {
    alignas(64) Key saved[3 * kChunk];
    std::copy_n(keys, kChunk, saved);
    std::copy_n(keys + n - kChunk, kChunk, saved + kChunk);
    const Vector pivots = L::broadcast(pivot);
    Key *left = keys, *right = keys + n;
    const Key *read = keys + kChunk, *read_end = keys + n - kChunk;
    const auto put = [&](Vector v) {
      const std::size_t above = L::part(v, L::greater(v, pivots), left, right);
      right -= above;
      left += kLanes - above;
    };
    while (static_cast<std::size_t>(read_end - read) >= kChunk) {
      const Key* from;
      if (read - left <= right - read_end) {
        from = read;
        read += kChunk;
      } else {
        read_end -= kChunk;
        from = read_end;
      }
      Vector v[kStride];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kStride; ++i) v[i] = load<kRaw>(from + i * kLanes, code);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kStride; ++i) put(v[i]);
    }
    const auto rest = static_cast<std::size_t>(read_end - read);
    std::copy_n(read, rest, saved + 2 * kChunk);
    const std::size_t left_over = 2 * kChunk + rest;
    std::size_t i = 0;
    for (; i + 2 * kLanes <= left_over; i += kLanes) put(load<kRaw>(saved + i, code));
    for (; i < left_over; ++i) {
      const Key key = kRaw ? code.encode_one(saved[i]) : saved[i];
      const bool above = key > pivot;
      *left = key;
      right[-1] = key;
      left += !above;
      right -= above;
    }
    return static_cast<std::size_t>(left - keys);
  }

  // ---- Sort in cache

  static void fill(Key* to, std::size_t n, Key key, const Code& code) {
    const Key users = code.decode_one(key);
    const Vector v = L::broadcast(users);
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) L::store(to + i, v);
    for (; i < n; ++i) to[i] = users;
  }

  /// About as many keys as a piece should have in the end.
  static constexpr std::size_t kPiece = kBlock * 5 / 8;
  static constexpr int kMostWays = 40;
  /// How often a piece is split, at most.
  static constexpr int kLevels = 24;

  /// Into how many pieces n keys are split at a time.
  static int ways(std::size_t n) {
    const std::size_t pieces = n / kPiece + 1;
    if (pieces <= kMostWays) return std::max(4, static_cast<int>(pieces));
    return static_cast<int>(std::clamp<std::size_t>(pieces / (kMostWays / 2), 4, 16));
  }
  static std::size_t sample_size(std::size_t n) {
    return n <= 4 * kBlock ? kBlock / 4 : n <= 8 * kBlock ? kBlock / 2 : kBlock;
  }

  /// Copies `count` keys that lie evenly spread over n, but not at even distances.
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

  /// Pieces up to this size are partitioned from one buffer to another, which stays in the first-level
  /// cache; larger ones in place.
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
      left = partition_in_place<kRaw>(from, n, pivot, code);
      split<false>(from, spare, to, left, splitters, first, mid, levels, code);
      split<false>(from + left, spare, to + left, n - left, splitters, mid + 1, last, levels, code);
    } else {
      left = partition<kRaw>(from, spare, n, pivot, code);
      split<false>(spare, from, to, left, splitters, first, mid, levels, code);
      split<false>(spare + left, from + left, to + left, n - left, splitters, mid + 1, last, levels,
                   code);
    }
  }

 public:
  template <bool kRaw>
  static void sort_by_heap(const Key* from, Key* to, std::size_t n, const Code& code) {
    for (std::size_t i = 0; i < n; ++i) to[i] = kRaw ? code.encode_one(from[i]) : from[i];
    heap_sort(Items<Key, NoValue>{to, nullptr}, 0, n, std::less{});
    for (std::size_t i = 0; i < n; ++i) to[i] = code.decode_one(to[i]);
  }
};
