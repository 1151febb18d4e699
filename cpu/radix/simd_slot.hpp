// How cpu/radix/simd sorts the keys of one slot, a few hundred of a narrow range, by networks in
// registers: 32-bit keys by what is above the slot's lowest, in lanes of 16 bits; 64-bit keys by
// the upper bits of that and their place, in lanes of 32 bits. No include guard: see simd.cpp.

/// 32-bit keys of a range of 65536 at most: 16 bits of each are stored, and sorted.
template <bool kFloat>
struct NarrowSlots {
  using Key = std::int32_t;
  using Stored = std::uint16_t;
  using L = Lanes<Key>;
  using Narrow = Lanes<Stored>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;

  template <int kRows>
  static constexpr std::size_t kKeys = kRows* Narrow::kCount;
  static constexpr std::size_t kMost = kKeys<16>;

  static Stored stored(Key key) { return static_cast<Stored>(key); }
  static Key whole(Stored stored, const Range<Key>& range) {
    const auto lowest = static_cast<std::uint32_t>(range.lowest);
    return static_cast<Key>(lowest + static_cast<Stored>(stored - lowest));
  }

  /// A row is full whatever n is, or fewer rows would have been taken.
  static constexpr int full_rows(int rows) { return rows == 4 ? 0 : rows - 4; }

  template <int kRows, int kRow>
  SORTLAB_INLINE Vector load_row(const Stored* from, std::size_t n, Key base) {
    constexpr std::size_t kBefore = kRow * Narrow::kCount;
    const Vector bases = Narrow::broadcast(stored(base));
    const Vector row = Narrow::subtract(Narrow::load(from + kBefore), bases);
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
    const Vector v = block.v[kAt.row], bases = L::broadcast(base);
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

  /// Sorts n keys as the user's, and writes up to kMost; false, and nothing done, where that takes
  /// more than a network.
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

  /// Into how many slots n keys of a range should be cut: about four fifths of what a network takes,
  /// but not more than 16 bits; 0 where that leaves too few keys for a network.
  static std::size_t slots(std::size_t n, std::size_t last) {
    const std::size_t for_16_bits = (last >> 16) + 1, left = n / for_16_bits;
    for (const std::size_t rows : {16, 12, 8}) {
      const std::size_t keys = rows * Narrow::kCount * 4 / 5;
      if (left >= keys) return n / keys + 1;
    }
    return left >= 9 * L::kCount ? for_16_bits : 0;
  }
};

/// 64-bit keys: 31 bits say where a key belongs and where it is.
template <bool kFloat>
struct PlacedSlot {
  using Key = std::int64_t;
  using L = Lanes<Key>;
  using Word = std::int32_t;
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
  SORTLAB_INLINE Vector load_row(const Key* from, std::size_t n, Key base, int shift) {
    constexpr std::size_t kBefore = kRow * Words::kCount;
    const Vector bases = L::broadcast(base);
    const Vector a = L::shift_right(L::subtract(L::load(from + kBefore), bases), shift);
    const Vector b = L::shift_right(L::subtract(L::load(from + kBefore + L::kCount), bases), shift);
    const Vector places = Words::add(Words::iota(), Words::broadcast(kBefore));
    const Vector row = L::bit_xor(Words::shift_left<kPlaceBits>(L::lower_words(a, b)), places);
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

  /// Sorts n <= kMost keys of a range as the user's; writes up to a row's keys more. Returns false
  /// where the bits that were compared do not decide.
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
  /// Whether two neighbours differ in nothing but their places.
  static bool any_alike(const Word* words, std::size_t n) {
    Word least_different = kGreatest<Word>;
    for (std::size_t i = 1; i < n; ++i) {
      least_different = std::min(least_different, words[i] ^ words[i - 1]);
    }
    return least_different <= kPlaces;
  }
};

/// Whole keys.
template <class Key, bool kFloat>
struct WholeSlots {
  using Stored = Key;
  using Code = Coding<Key, kFloat>;
  using Cache = CacheSort<Key, kFloat>;
  using Placed = PlacedSlot<kFloat>;
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
