// Slots of cpu/radix/simd without vectors.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/radix/simd/editor.hpp"
#endif

/// Whole keys: two passes of 8 bits each sort by the upper 16 of the remaining bits, and an
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
