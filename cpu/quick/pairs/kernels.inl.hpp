// The kernels of cpu/quick/pairs, for the vectors of one instruction set.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #define SORTLAB_EDITOR
  #include "cpu/primitives/simd/lanes.hpp"
  #include "cpu/quick/pairs/lanes.hpp"
using namespace sortlab::cpu::quick::pairs;
using sortlab::cpu::quick::pairs::scalar::PairLanes;
#endif

// Sorts up to 16 vectors of pairs for cpu/quick/pairs: as numbers of 64 bits, by the network for keys.
//
//   keys of 4 bytes   | key              | value |
//   keys of 8 bytes   | key - least key  | place |     without the key's lowest bits if there is no room
template <class Key, bool kFloat>
struct PairBlock {
  using Users = Items<Key, std::uint32_t>;
  using Code = Coding<Key, kFloat>;
  using Word = std::int64_t;
  using Number = std::uint64_t;
  using Network = RegisterSort<Word, false>;

  /// The most pairs.
  static constexpr std::size_t kPairs = Network::kKeys;

  /// Sorts pairs of signed integers to `to`, as the user's. `to` is `from` or does not overlap it.
  static void sort(const Users& from, const Users& to, std::size_t n, const Code& code) {
    if (n == 0) return;
    alignas(64) Word words[kPairs];
    if constexpr (sizeof(Key) == 4) {
      for (std::size_t i = 0; i < n; ++i) {
        words[i] = static_cast<Word>(static_cast<Number>(from.keys[i]) << 32 | from.values[i]);
      }
      sort_words(words, n);
      for (std::size_t i = 0; i < n; ++i) {
        to.keys[i] = code.decode_one(static_cast<Key>(words[i] >> 32));
        to.values[i] = static_cast<std::uint32_t>(words[i]);
      }
    } else {
      sort_wide(from, to, n, words, code);
    }
  }

 private:
  static void sort_words(Word* words, std::size_t n) {
    Network::template sort<false, true>(words, words, n, typename Network::Code(0));
  }

  static constexpr int kPlaceBits = 7;
  static_assert(kPairs <= std::size_t{1} << kPlaceBits);
  static std::size_t place(Word word) {
    return static_cast<std::size_t>(word) & ((std::size_t{1} << kPlaceBits) - 1);
  }

  static void sort_wide(const Users& from, const Users& to, std::size_t n, Word* words,
                        const Code& code) {
    alignas(64) std::uint32_t values[kPairs];
    Key least = from.keys[0], greatest = from.keys[0];
    for (std::size_t i = 0; i < n; ++i) {
      least = std::min(least, from.keys[i]);
      greatest = std::max(greatest, from.keys[i]);
    }
    const Number range = static_cast<Number>(greatest) - static_cast<Number>(least);
    const int lost = std::max(0, static_cast<int>(std::bit_width(range)) - (63 - kPlaceBits));
    for (std::size_t i = 0; i < n; ++i) {
      const Number key = static_cast<Number>(from.keys[i]) - static_cast<Number>(least);
      words[i] = static_cast<Word>(key >> lost << kPlaceBits | i);
      values[i] = from.values[i];
    }
    if (lost != 0) return sort_widest(from, to, n, words, values, code);
    sort_words(words, n);
    for (std::size_t i = 0; i < n; ++i) {
      const Number key = static_cast<Number>(words[i]) >> kPlaceBits;
      to.keys[i] = code.decode_one(static_cast<Key>(key + static_cast<Number>(least)));
    }
    for (std::size_t i = 0; i < n; ++i) to.values[i] = values[place(words[i])];
  }

  /// The same for numbers without the lowest bits of keys: insertions put right what these leave out of
  /// order. Blocks of so wide a range are few, or their keys are far apart.
  static void sort_widest(const Users& from, const Users& to, std::size_t n, Word* words,
                          const std::uint32_t* values, const Code& code) {
    alignas(64) Key keys[kPairs];
    std::copy_n(from.keys, n, keys);
    sort_words(words, n);
    for (std::size_t i = 0; i < n; ++i) to.values[i] = values[place(words[i])];
    for (std::size_t i = 0; i < n; ++i) words[i] = keys[place(words[i])];
    std::size_t falls = 0;
    for (std::size_t i = 1; i < n; ++i) falls += words[i] < words[i - 1];
    if (falls != 0) insertion_sort(Items<Word, std::uint32_t>{words, to.values}, 0, n, std::less{});
    for (std::size_t i = 0; i < n; ++i) to.keys[i] = code.decode_one(words[i]);
  }
};

// The quicksort of cpu/quick/pairs, for the vectors of one instruction set. It is the sort of
// cpu/primitives/simd/kernels.inl.hpp, for keys and values in two arrays.
//
//   pairs  | large piece: partitioned in place                    |
//   pairs  | 16 KiB | 16 KiB | ..     smaller pieces: to the spare buffer and back,
//   spare  | 16 KiB |                 which stays in the first-level cache
//   pairs  | sorted | ..              up to 16 vectors: in registers
template <class Key, bool kFloat>
struct PairPartition {
  using Lane = PairLanes<Key>;
  using L = typename Lane::Keys;
  using V = typename Lane::Values;
  using Code = typename Lane::template Code<kFloat>;
  using Pairs = Items<Key, std::uint32_t>;
  static constexpr std::size_t kLanes = L::kCount;
  static constexpr std::size_t kStride = std::max<std::size_t>(8, 32 / kLanes);
  static constexpr std::size_t kChunk = kStride * kLanes;

  struct Vector {
    typename L::Vector keys;
    typename V::Values values;
  };
  using One = Item<Key, std::uint32_t>;

  /// Reads pairs as signed integers: the user's (kRaw), or those that are it already.
  template <bool kRaw>
  SORTLAB_INLINE Vector load(const Pairs& from, std::size_t i, const Code& code) {
    const auto keys = L::load(from.keys + i);
    const auto values = V::load(from.values + i);
    if constexpr (kRaw) return {code.encode(keys), values};
    return {keys, values};
  }
  template <bool kRaw>
  SORTLAB_INLINE One load_one(const Pairs& from, std::size_t i, const Code& code) {
    return {kRaw ? code.encode_one(from.keys[i]) : from.keys[i], from.values[i]};
  }

  ///   | not above | free | above |
  ///          left ^      ^ right
  struct Ends {
    Pairs to;
    std::size_t left, right;

    /// kLanes places are free; a vector is stored at each end.
    [[gnu::always_inline]] void put(const Vector& v, const typename L::Vector& pivots) {
      const unsigned set = L::greater(v.keys, pivots);
      V::part(v.values, set, to.values + left, to.values + right);
      const std::size_t above = L::part(v.keys, set, to.keys + left, to.keys + right);
      right -= above;
      left += kLanes - above;
    }
    [[gnu::always_inline]] void put_one(const One& one, Key pivot) {
      const bool above = one.key > pivot;
      to.put(left, one);
      to.put(right - 1, one);
      left += !above;
      right -= above;
    }
  };

  /// Moves n pairs to `to`, those above the pivot behind the others. Returns the number of the others.
  /// First those that fill no vector: then the free places are whole vectors, and where two stores
  /// overlap they are the same.
  template <bool kRaw>
  static std::size_t to_other(const Pairs& from, const Pairs& to, std::size_t n, Key pivot,
                              Key flip) {
    const Code code(flip);
    const auto pivots = L::broadcast(pivot);
    Ends ends{to, 0, n};
    const std::size_t whole = n - n % kLanes;
    for (std::size_t i = whole; i < n; ++i) ends.put_one(load_one<kRaw>(from, i, code), pivot);
#pragma GCC unroll 4
    for (std::size_t i = 0; i < whole; i += kLanes) ends.put(load<kRaw>(from, i, code), pivots);
    return ends.left;
  }

  /// How far ahead of the reads lines are asked for: the processor does not foresee from which end the next chunk comes.
  static constexpr std::ptrdiff_t kAhead = 4 * kChunk;
  template <class T>
  SORTLAB_INLINE void prefetch(const T* chunk) {
    constexpr std::size_t kLine = 64 / sizeof(T);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kChunk; i += kLine) __builtin_prefetch(chunk + i);
  }

  /// The same within memory, for at least 2 kChunk pairs.
  ///
  ///   | not above | free ..  | not read yet      | .. free | above |
  ///                ^ left     ^ read     read_end ^         ^ right
  ///
  /// Two saved chunks make free space. Reads take pairs from the side with less free space, so a
  /// chunk stays free on both sides.
  template <bool kRaw>
  static std::size_t in_place(const Pairs& pairs, std::size_t n, Key pivot, Key flip) {
    const Code code(flip);
    Vector saved[2 * kStride];
    for (std::size_t i = 0; i < kStride; ++i) {
      saved[i] = load<kRaw>(pairs, i * kLanes, code);
      saved[kStride + i] = load<kRaw>(pairs, n - kChunk + i * kLanes, code);
    }
    const auto pivots = L::broadcast(pivot);
    Ends ends{pairs, 0, n};
    std::size_t read = kChunk, read_end = n - kChunk;
    while (read_end - read >= kChunk) {
      std::size_t at;
      std::ptrdiff_t ahead = kAhead;
      if (read - ends.left <= ends.right - read_end) {
        at = read;
        read += kChunk;
      } else {
        read_end -= kChunk;
        at = read_end;
        ahead = -ahead;
      }
      prefetch(pairs.keys + at + ahead);
      prefetch(pairs.values + at + ahead);
      Vector v[kStride];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kStride; ++i) v[i] = load<kRaw>(pairs, at + i * kLanes, code);
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kStride; ++i) ends.put(v[i], pivots);
    }
    // Once the rest, less than a chunk, is read, and those that fill no vector are put, whole vectors are free.
    const std::size_t rest = read_end - read, vectors = rest / kLanes, few = rest % kLanes;
    Vector last[kStride];
    One last_few[kLanes];
    for (std::size_t i = 0; i < vectors; ++i) last[i] = load<kRaw>(pairs, read + i * kLanes, code);
    for (std::size_t i = 0; i < few; ++i)
      last_few[i] = load_one<kRaw>(pairs, read_end - few + i, code);
    for (std::size_t i = 0; i < few; ++i) ends.put_one(last_few[i], pivot);
    for (std::size_t i = 0; i < vectors; ++i) ends.put(last[i], pivots);
    for (const auto& v : saved) ends.put(v, pivots);
    return ends.left;
  }
};

template <class Key, bool kFloat>
struct PairSort {
  using Pairs = Items<Key, std::uint32_t>;
  using Code = Coding<Key, kFloat>;
  using Block = PairBlock<Key, kFloat>;
  using Parts = PairPartition<Key, kFloat>;
  using Plain = CacheSort<Key, false>;
  static constexpr std::size_t kBlock = Block::kPairs;

  /// The aimed-for number of pairs in a final piece.
  static constexpr std::size_t kPiece = kBlock * 5 / 8;
  static constexpr int kMostWays = 40;
  /// So few values that a sample shows separate pairs at once, from so many pairs on.
  static constexpr std::size_t kMostValues = 64, kWorthValues = std::size_t{1} << 13;
  /// The first sample rejects most inputs.
  static constexpr std::size_t kFirstSample = 2 * kMostValues, kValuesSample = 512;
  /// How often a piece is split, at most.
  static constexpr int kLevels = 24;
  /// The largest piece that is partitioned from one buffer to another.
  static constexpr std::size_t kMostTwoBuffers = (std::size_t{8} << 10) / (sizeof(Key) + 4);

  /// Into how many pieces one round splits n pairs.
  static int ways(std::size_t n) {
    const std::size_t pieces = n / kPiece + 1;
    if (pieces <= kMostWays) return std::max(4, static_cast<int>(pieces));
    return static_cast<int>(std::clamp<std::size_t>(pieces / (kMostWays / 2), 4, 16));
  }
  static std::size_t sample_size(std::size_t n) {
    return n <= 4 * kBlock ? kBlock / 4 : n <= 8 * kBlock ? kBlock / 2 : kBlock;
  }

  /// Sorts the user's pairs in place.
  static void sort(const Pairs& users, std::size_t n, Key flip) {
    const Code code(flip);
    alignas(64) Key keys[kMostTwoBuffers];
    alignas(64) std::uint32_t values[kMostTwoBuffers];
    const Pairs spare{keys, values};
    if (n <= kBlock) {
      for (std::size_t i = 0; i < n; ++i) {
        spare.put(i, {code.encode_one(users.keys[i]), users.values[i]});
      }
      return Block::sort(spare, users, n, code);
    }
    Values few;
    if (n >= kWorthValues && few.find(users, n, code)) {
      const Splitters<Key> splitters{few.keys, few.count - 1};
      return split<true>(users, spare, users, n, splitters, 0, splitters.count,
                         {kLevels, flip, code, few.before});
    }
    sort_round<true>(users, spare, users, n, {kLevels, flip, code});
  }

 private:
  /// How often pairs may still be split, and how keys are read and written.
  struct Means {
    int levels;
    Key flip;
    const Code& code;
    const std::uint16_t* before = nullptr;  // see Values

    /// After which of the pieces [first, last] they are split: the one in the middle, or that of the pairs.
    int middle(int first, int last) const {
      if (before == nullptr) return (first + last) / 2;
      const int all = before[first] + before[last + 1];
      int mid = first;
      while (mid + 1 < last && before[mid + 1] + before[mid + 2] <= all) ++mid;
      return mid;
    }
  };

  /// The values of a sample, in order, if they are few. Those of the pairs that it has missed lie between.
  struct Values {
    Key keys[kMostValues];
    std::uint16_t before[kMostValues + 1];  // so many of the sample are less
    int count;

    bool find(const Pairs& users, std::size_t n, const Code& code) {
      alignas(64) Key sample[kValuesSample];
      return take(users, n, sample, kFirstSample, code) &&
             take(users, n, sample, kValuesSample, code);
    }

   private:
    bool take(const Pairs& users, std::size_t n, Key* sample, std::size_t size, const Code& code) {
      CacheSort<Key, kFloat>::template take_sample<true>(users.keys, n, sample, size, code);
      Plain::template sort<false>(sample, sample, size, typename Plain::Code(0));
      count = 0;
      for (std::size_t i = 0; i < size; ++i) {
        if (i > 0 && sample[i] == sample[i - 1]) continue;
        if (count == kMostValues) return false;
        before[count] = static_cast<std::uint16_t>(i);
        keys[count++] = sample[i];
      }
      before[count] = static_cast<std::uint16_t>(size);
      return count > 1;
    }
  };

  template <bool kRaw>
  static Splitters<Key> sample(const Pairs& from, std::size_t n, Key* splitters, const Code& code) {
    alignas(64) Key sample[kBlock];
    const std::size_t count = sample_size(n);
    CacheSort<Key, kFloat>::template take_sample<kRaw>(from.keys, n, sample, count, code);
    RegisterSort<Key, false>::template sort<false, true>(sample, sample, count,
                                                         typename Plain::Code(0));
    return choose_splitters(sample, count, ways(n), splitters);
  }

  /// Whether all pairs have the same key. It ends soon where they have not.
  static bool are_alike(const Pairs& from, std::size_t n) {
    constexpr std::size_t kAtOnce = 64;
    const Key key = from.keys[0];
    for (std::size_t i = 0; i < n; i += kAtOnce) {
      const std::size_t m = std::min(kAtOnce, n - i);
      Key different = 0;
      for (std::size_t j = 0; j < m; ++j) different |= from.keys[i + j] ^ key;
      if (different != 0) return false;
    }
    return true;
  }

  /// Writes n pairs of the same key.
  static void write_alike(const Pairs& from, const Pairs& to, std::size_t n, const Code& code) {
    if (from.values != to.values) std::copy_n(from.values, n, to.values);
    Plain::fill(to.keys, n, code.decode_one(from.keys[0]), typename Plain::Code(0));
  }

  /// Sorts n pairs of `from`, which are overwritten, to `to`. The spare buffer has room for n or for
  /// kMostTwoBuffers.
  template <bool kRaw>
  static void sort_round(const Pairs& from, const Pairs& spare, const Pairs& to, std::size_t n,
                         const Means& means) {
    if constexpr (!kRaw) {
      if (means.levels == 0) return sort_by_heap(from, to, n, means.code);
      if (are_alike(from, n)) return write_alike(from, to, n, means.code);
    }
    Key keys[kMostWays];
    const Splitters<Key> splitters = sample<kRaw>(from, n, keys, means.code);
    split<kRaw>(from, spare, to, n, splitters, 0, splitters.count,
                {means.levels - 1, means.flip, means.code});
  }

  /// The same for pairs of the pieces [first, last] between the splitters.
  template <bool kRaw>
  static void split(const Pairs& from, const Pairs& spare, const Pairs& to, std::size_t n,
                    const Splitters<Key>& splitters, int first, int last, const Means& means) {
    if constexpr (!kRaw) {
      if (n <= kBlock) return Block::sort(from, to, n, means.code);
      if (first == last) {
        if (!splitters.all_equal(first)) return sort_round<false>(from, spare, to, n, means);
        return write_alike(from, to, n, means.code);
      }
    }
    const int mid = means.middle(first, last);
    const Key pivot = splitters.keys[mid];
    const auto sort_sides = [&](const Pairs& of, const Pairs& other, const Pairs& other_right,
                                std::size_t left) {
      split<false>(of, other, to, left, splitters, first, mid, means);
      split<false>(of.from(left), other_right, to.from(left), n - left, splitters, mid + 1, last,
                   means);
    };
    if (n > kMostTwoBuffers) {
      const std::size_t left = Parts::template in_place<kRaw>(from, n, pivot, means.flip);
      sort_sides(from, spare, spare, left);
    } else {
      const std::size_t left = Parts::template to_other<kRaw>(from, spare, n, pivot, means.flip);
      sort_sides(spare, from, from.from(left), left);
    }
  }

  static void sort_by_heap(const Pairs& from, const Pairs& to, std::size_t n, const Code& code) {
    heap_sort(from, 0, n, std::less{});
    for (std::size_t i = 0; i < n; ++i) {
      to.put(i, {code.decode_one(from.keys[i]), from.values[i]});
    }
  }
};

template <class Key, bool kFloat>
struct Kernels {
  static constexpr Calls<Key> calls() {
    return {.look = look<Key, kFloat>, .sort = PairSort<Key, kFloat>::sort};
  }
};
