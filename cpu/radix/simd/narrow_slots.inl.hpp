// Slots of cpu/radix/simd whose keys differ in 16 bits; networks of 16-bit lanes sort them.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/simd/editor.hpp"
#endif

/// 32-bit keys in a range of at most 65536: only 16 bits of each are stored and sorted.
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
