// Sorts up to 16 vectors of pairs for cpu/quick/pairs: as numbers of 64 bits, by the network for keys.
//
//   keys of 4 bytes   | key              | value |
//   keys of 8 bytes   | key - least key  | place |     without the key's lowest bits if there is no room
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/quick/pairs/editor.hpp"
#endif

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
