// The slots of a bucket: their keys are sorted in registers.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/kernels.inl.hpp"
  #include "cpu/primitives/simd/narrow_lanes.hpp"
  #include "cpu/radix/buckets/bucket.hpp"
using namespace sortlab::cpu::radix::buckets;
#endif

/// 32-bit keys in a range of at most 65536: only 16 bits of each are stored; networks of 16-bit lanes sort them.
template <class Key, bool kFloat, class StoredKey = std::uint16_t>
struct NarrowSlots {
  using Stored = StoredKey;
  using L = Lanes<Key>;
  using Narrow = Lanes<Stored>;
  using Code = Coding<Key, kFloat>;

  template <int kRows>
  static constexpr std::size_t kKeys = kRows* Narrow::kCount;
  static constexpr std::size_t kMost = kKeys<16>;

  static Stored stored(Key key) { return static_cast<Stored>(key); }
  static Key whole(Stored stored, const Range<Key>& range) {
    const auto lowest = static_cast<std::uint32_t>(range.lowest);
    return static_cast<Key>(lowest + static_cast<Stored>(stored - lowest));
  }

  /// A row is full for any n, because otherwise fewer rows would have been used.
  static constexpr int full_rows(int rows) { return rows == 4 ? 0 : rows - 4; }

  template <int kRows, int kRow>
  SORTLAB_INLINE typename Narrow::Vector load_row(const Stored* from, std::size_t n, Key base) {
    constexpr std::size_t kBefore = kRow * Narrow::kCount;
    const auto bases = Narrow::broadcast(stored(base));
    const auto row = Narrow::subtract(Narrow::load(from + kBefore), bases);
    if constexpr (kRow < full_rows(kRows)) {
      return row;
    } else {
      const std::size_t some =
          std::clamp<std::size_t>(n, kBefore, kBefore + Narrow::kCount) - kBefore;
      return Narrow::some(row, some, Narrow::broadcast(0xFFFF));
    }
  }
  template <int kRows, int kStore>
  SORTLAB_INLINE void store_row(Key* to, const Block<Stored, kRows>& block, Key base,
                                const Code& code) {
    constexpr auto kAt = Block<Stored, kRows>::kSequence.stores[kStore];
    // With 12 rows, 32 lanes are two columns, each followed by lanes without meaning.
    constexpr int kHalf = kRows < static_cast<int>(L::kCount) && kRows == 12 ? 12 : L::kCount;
    const auto v = block.v[kAt.row];
    const auto bases = L::broadcast(base);
    L::store(to + kAt.place, code.decode(L::add(Narrow::lower_half(v), bases)));
    L::store(to + kAt.place + kHalf, code.decode(L::add(Narrow::upper_half(v), bases)));
  }
  template <int kRows, std::size_t... kRow, std::size_t... kStore>
  SORTLAB_INLINE void sort(const Stored* from, Key* to, std::size_t n, Key base, const Code& code,
                           std::index_sequence<kRow...>, std::index_sequence<kStore...>) {
    Block<Stored, kRows> block{{load_row<kRows, kRow>(from, n, base)...}};
    block.sort();
    (store_row<kRows, kStore>(to, block, base, code), ...);
  }
  template <int kRows>
  [[gnu::noinline]] static void sort(const Stored* from, Key* to, std::size_t n, Key base,
                                     const Code& code) {
    constexpr int kStores = Block<Stored, kRows>::kSequence.store_count;
    sort<kRows>(from, to, n, base, code, std::make_index_sequence<kRows>{},
                std::make_index_sequence<kStores>{});
  }

  /// Sorts n keys into the user's form, and writes up to kMost. Returns false, and changes nothing,
  /// if they need more than a network.
  static bool sort(const Stored* from, Key* to, std::size_t n, const Range<Key>& range,
                   const Code& code) {
    const Key base = range.lowest;
    if (n > kMost) return false;
    if (n > kKeys<12>) {
      sort<16>(from, to, n, base, code);
    } else if (n > kKeys<8>) {
      sort<12>(from, to, n, base, code);
    } else if (n > kKeys<4>) {
      sort<8>(from, to, n, base, code);
    } else {
      sort<4>(from, to, n, base, code);
    }
    return true;
  }

  /// The number of slots for n keys of a range. A slot should fill about four fifths of a network
  /// and span at most 16 bits; 0 if that leaves too few keys for a network.
  static std::size_t slots(std::size_t n, std::size_t last) {
    const std::size_t for_16_bits = (last >> 16) + 1, left = n / for_16_bits;
    for (const std::size_t rows : {16, 12, 8}) {
      const std::size_t keys = rows * Narrow::kCount * 4 / 5;
      if (left >= keys) return n / keys + 1;
    }
    return left >= 9 * L::kCount ? for_16_bits : 0;
  }
};

/// Whole keys, without vectors: two passes of 8 bits each sort by the upper 16 of the remaining bits, and an
/// insertion sort orders the few keys that are then still out of order.
template <class Key, bool kFloat>
struct PassSlots {
  using Stored = Key;
  using Code = Coding<Key, kFloat>;
  using Cache = CacheSort<Key, kFloat>;
  static constexpr std::size_t kMost = 1024;

  static Stored stored(Key key) { return key; }
  static Key whole(Stored stored, const Range<Key>&) { return stored; }
  static std::size_t slots(std::size_t n) { return n / (kMost / 2) + 1; }

  static bool sort(const Key* from, Key* to, std::size_t n, const Range<Key>& range,
                   const Code& code) {
    if (n <= Cache::kBlock) {
      Cache::Small::template sort<false, true>(from, to, n, code);
      return true;
    }
    if (n > kMost) return false;
    const int shift = std::max(0, static_cast<int>(std::bit_width(range.last)) - 16);
    sort_by_upper_bits(from, to, n, range.lowest, shift);
    if (shift > 0 && !insert_few(to, n)) return false;
    for (std::size_t i = 0; i < n; ++i) to[i] = code.decode_one(to[i]);
    return true;
  }

 private:
  static void sort_by_upper_bits(const Key* from, Key* to, std::size_t n, Key lowest, int shift) {
    const auto upper = [=](Key key) {
      const auto offset = static_cast<Offset<Key>>(static_cast<Offset<Key>>(key) -
                                                   static_cast<Offset<Key>>(lowest));
      return static_cast<std::uint32_t>(offset >> shift);
    };
    std::uint16_t low[256] = {}, high[256] = {};
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t bits = upper(from[i]);
      ++low[bits & 0xFF];
      ++high[bits >> 8];
    }
    std::uint16_t below_low = 0, below_high = 0;
    for (int d = 0; d < 256; ++d) {
      below_low += std::exchange(low[d], below_low);
      below_high += std::exchange(high[d], below_high);
    }
    Key temp[kMost];
    for (std::size_t i = 0; i < n; ++i) temp[low[upper(from[i]) & 0xFF]++] = from[i];
    for (std::size_t i = 0; i < n; ++i) to[high[upper(temp[i]) >> 8]++] = temp[i];
  }
  /// Insertion sort. Stops and returns false, with the keys in any order, if it needs many moves.
  static bool insert_few(Key* keys, std::size_t n) {
    std::size_t moves = 0;
    for (std::size_t i = 1; i < n; ++i) {
      const Key key = keys[i];
      if (key >= keys[i - 1]) continue;
      std::size_t place = i;
      for (; place > 0 && key < keys[place - 1]; --place) keys[place] = keys[place - 1];
      keys[place] = key;
      moves += i - place;
      if (moves > 4 * n) return false;
    }
    return true;
  }
};

/// 64-bit keys: networks of 32-bit lanes sort numbers whose 31 bits hold the upper ones of a key's
/// remaining bits, and its place.
template <class Key, bool kFloat, class WordOfKey = std::int32_t>
struct PlacedSlot {
  using L = Lanes<Key>;
  using Word = WordOfKey;
  using Words = Lanes<Word>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;

  template <int kRows>
  static constexpr std::size_t kKeys = kRows* Words::kCount;
  static constexpr std::size_t kMost = kKeys<16>;
  static constexpr int kPlaceBits = std::bit_width(kMost - 1);
  static constexpr int kKeyBits = 31 - kPlaceBits;
  static constexpr Word kPlaces = (1 << kPlaceBits) - 1;

  static constexpr int full_rows(int rows) { return rows == 4 ? 0 : rows - 4; }

  template <int kRows, int kRow>
  SORTLAB_INLINE typename Words::Vector load_row(const Key* from, std::size_t n, Key base,
                                                 int shift) {
    constexpr std::size_t kBefore = kRow * Words::kCount;
    const Vector bases = L::broadcast(base);
    const Vector a = L::shift_right(L::subtract(L::load(from + kBefore), bases), shift);
    const Vector b = L::shift_right(L::subtract(L::load(from + kBefore + L::kCount), bases), shift);
    const auto places = Words::add(Words::iota(), Words::broadcast(kBefore));
    const auto row =
        Words::bit_xor(Words::template shift_left<kPlaceBits>(L::lower_words(a, b)), places);
    if constexpr (kRow < full_rows(kRows)) {
      return row;
    } else {
      const std::size_t some =
          std::clamp<std::size_t>(n, kBefore, kBefore + Words::kCount) - kBefore;
      return Words::some(row, some, Words::broadcast(kGreatest<Word>));
    }
  }
  template <int kRows, std::size_t... kRow, std::size_t... kStore>
  SORTLAB_INLINE void sort_words(const Key* from, Word* to, std::size_t n, Key base, int shift,
                                 std::index_sequence<kRow...>, std::index_sequence<kStore...>) {
    Block<Word, kRows> block{{load_row<kRows, kRow>(from, n, base, shift)...}};
    block.sort();
    constexpr auto& kStores = Block<Word, kRows>::kSequence.stores;
    (Words::store(to + kStores[kStore].place, block.v[kStores[kStore].row]), ...);
  }
  template <int kRows>
  [[gnu::noinline]] static void sort_words(const Key* from, Word* to, std::size_t n, Key base,
                                           int shift) {
    constexpr int kStores = Block<Word, kRows>::kSequence.store_count;
    sort_words<kRows>(from, to, n, base, shift, std::make_index_sequence<kRows>{},
                      std::make_index_sequence<kStores>{});
  }

  /// Sorts n <= kMost keys of a range into the user's form; writes up to one row more. Returns
  /// false if the compared bits do not decide the order.
  static bool sort(const Key* from, Key* to, std::size_t n, const Range<Key>& range,
                   const Code& code) {
    alignas(64) Word words[kMost + 2 * Words::kCount];
    const int shift = std::max(0, static_cast<int>(std::bit_width(range.last)) - kKeyBits);
    if (n > kKeys<12>) {
      sort_words<16>(from, words, n, range.lowest, shift);
    } else if (n > kKeys<8>) {
      sort_words<12>(from, words, n, range.lowest, shift);
    } else if (n > kKeys<4>) {
      sort_words<8>(from, words, n, range.lowest, shift);
    } else {
      sort_words<4>(from, words, n, range.lowest, shift);
    }
    if (shift > 0 && any_alike(words, n)) return false;
    for (std::size_t i = 0; i < n; i += L::kCount) {
      L::store(to + i, code.decode(L::gather(from, words + i, kPlaces)));
    }
    return true;
  }

 private:
  /// Whether two neighbours differ only in their places.
  static bool any_alike(const Word* words, std::size_t n) {
    Word least_different = kGreatest<Word>;
    for (std::size_t i = 1; i < n; ++i) {
      least_different = std::min(least_different, words[i] ^ words[i - 1]);
    }
    return least_different <= kPlaces;
  }
};

/// Whole keys, sorted by networks.
template <class Key, bool kFloat>
struct NetworkSlots {
  using Stored = Key;
  using Code = Coding<Key, kFloat>;
  using Cache = CacheSort<Key, kFloat>;
  using Placed = PlacedSlot<Key, kFloat>;
  static constexpr std::size_t kMost = sizeof(Key) == 8 ? Placed::kMost : Cache::kBlock;

  static Stored stored(Key key) { return key; }
  static Key whole(Stored stored, const Range<Key>&) { return stored; }

  static bool sort(const Key* from, Key* to, std::size_t n, const Range<Key>& range,
                   const Code& code) {
    if (n > kMost) return false;
    if constexpr (sizeof(Key) == 8) {
      if (n > 4 * Lanes<Key>::kCount) return Placed::sort(from, to, n, range, code);
    }
    Cache::Small::template sort<false, true>(from, to, n, code);
    return true;
  }
  static std::size_t slots(std::size_t n) { return n / (kMost * 4 / 5) + 1; }
};

template <class Key, bool kFloat>
using WholeSlots =
    std::conditional_t<(Lanes<Key>::kCount > 1), NetworkSlots<Key, kFloat>, PassSlots<Key, kFloat>>;
