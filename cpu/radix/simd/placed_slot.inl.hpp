// Slots of 64-bit keys in cpu/radix/simd: networks of 32-bit lanes sort numbers made of the upper
// ones of a key's remaining bits, and of its place.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/simd/editor.hpp"
#endif

/// 64-bit keys: 31 bits hold the upper remaining bits of a key and its place.
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
