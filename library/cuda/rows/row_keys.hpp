// Rows of keys, one after the other in memory, as the kernels of rows/ read and write them, and what they sort:
//
//   words of 4 or 8 bytes      | ordered bits of the key | place in the row |
//
// A word with its place equals no other of its row, so whatever sorts words is stable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "library/cuda/key_form.hpp"

namespace sortlab::cuda::detail {

/// Bits: of 4 bytes for keys of 1, 2 and 4; of 8 for keys of 8. The result may be where the keys are.
template <class BitsT>
struct RowKeys {
  using Bits = BitsT;
  const void* in;
  void* out;    // null: the keys are not wanted
  void* index;  // takes the places in the row that the keys had; null: not wanted
  std::size_t rows;
  unsigned n;  // keys of a row
  unsigned key_bytes;
  unsigned index_bytes;  // 4 or 8
  KeyForm<Bits> form;

  /// The ordered bits of a key, by its number in the array.
  SORTLAB_HD Bits ordered(std::size_t i) const { return form.ordered(raw(i)); }
  SORTLAB_HD void put(std::size_t i, Bits ordered, unsigned place) const {
    if (out != nullptr) put_key(i, ordered);
    if (index != nullptr) put_index(i, place);
  }
  SORTLAB_HD void put_key(std::size_t i, Bits ordered) const { put_raw(out, i, form.key(ordered)); }
  SORTLAB_HD void put_index(std::size_t i, unsigned place) const {
    if (index_bytes == 8) {
      static_cast<std::uint64_t*>(index)[i] = place;
    } else {
      static_cast<std::uint32_t*>(index)[i] = place;
    }
  }
  /// The key as it lies in memory.
  SORTLAB_HD Bits raw(std::size_t i) const {
    if constexpr (sizeof(Bits) == 4) {
      if (key_bytes == 1) return static_cast<const std::uint8_t*>(in)[i];
      if (key_bytes == 2) return static_cast<const std::uint16_t*>(in)[i];
    }
    return static_cast<const Bits*>(in)[i];
  }

 private:
  SORTLAB_HD void put_raw(void* to, std::size_t i, Bits key) const {
    if constexpr (sizeof(Bits) == 4) {
      if (key_bytes == 1) {
        static_cast<std::uint8_t*>(to)[i] = static_cast<std::uint8_t>(key);
        return;
      }
      if (key_bytes == 2) {
        static_cast<std::uint16_t*>(to)[i] = static_cast<std::uint16_t>(key);
        return;
      }
    }
    static_cast<Bits*>(to)[i] = key;
  }
};

/// A key of 8 bytes with its place. Words of 4 bytes: lanes exchange no padding.
struct PlacedKey {
  std::uint32_t low;
  std::uint32_t high;
  std::uint32_t place;

  SORTLAB_HD std::uint64_t ordered() const { return std::uint64_t{high} << 32 | low; }
  SORTLAB_HD friend bool operator<(const PlacedKey& a, const PlacedKey& b) {
    return a.ordered() < b.ordered() || (a.ordered() == b.ordered() && a.place < b.place);
  }
};

/// How a key and its place make a word.
template <class Bits, class Word>
struct WordForm {
  unsigned place_bits;  // in words as wide as Bits; 0: they have no place

  SORTLAB_HD Word word(Bits ordered, unsigned place) const {
    if constexpr (std::is_same_v<Word, PlacedKey>) {
      return {static_cast<std::uint32_t>(ordered), static_cast<std::uint32_t>(ordered >> 32),
              place};
    } else if constexpr (sizeof(Word) > sizeof(Bits)) {
      return Word{ordered} << 32 | place;
    } else {
      return ordered << place_bits | (place & places());
    }
  }
  SORTLAB_HD Bits ordered(const Word& word) const {
    if constexpr (std::is_same_v<Word, PlacedKey>) {
      return word.ordered();
    } else if constexpr (sizeof(Word) > sizeof(Bits)) {
      return static_cast<Bits>(word >> 32);
    } else {
      return word >> place_bits;
    }
  }
  SORTLAB_HD unsigned place(const Word& word) const {
    if constexpr (std::is_same_v<Word, PlacedKey>) {
      return word.place;
    } else if constexpr (sizeof(Word) > sizeof(Bits)) {
      return static_cast<unsigned>(word);
    } else {
      return static_cast<unsigned>(word) & places();
    }
  }
  /// Behind all words with a place, and not before any word.
  SORTLAB_HD static Word last() {
    if constexpr (std::is_same_v<Word, PlacedKey>) {
      return {~0u, ~0u, ~0u};
    } else {
      return static_cast<Word>(~Word{0});
    }
  }

 private:
  SORTLAB_HD unsigned places() const { return (1u << place_bits) - 1; }
};

}  // namespace sortlab::cuda::detail
