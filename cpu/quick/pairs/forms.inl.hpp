// The two forms of pairs while cpu/quick/pairs sorts them: words of a key and a value, and two arrays.
// Each has a vector of pairs, a partition of its lanes, and the sort of a block of up to 16 vectors.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/quick/pairs/editor.hpp"
#endif

/// Keys of 4 bytes: a pair is one number of 8 bytes, which the shared networks and partitions sort. The
/// value is its lower half, so pairs with equal keys come out by their values; pivots are the greatest
/// number of their key, so such pairs stay together.
template <bool kFloat>
struct Words {
  using Key = std::int32_t;
  using Word = std::int64_t;
  using L = Lanes<Word>;
  using Code = Coding<Key, kFloat>;
  using Users = Items<Key, std::uint32_t>;
  using Vector = typename L::Vector;
  using One = Word;
  using Place = Word*;
  using Small = RegisterSort<Word, false>;
  static constexpr std::size_t kLanes = L::kCount;
  static constexpr std::size_t kBlock = Small::kKeys;
  /// The most pairs that are partitioned from one buffer to another.
  static constexpr std::size_t kMostTwoBuffers = 2048;

  struct Buffer {
    alignas(64) Word words[kMostTwoBuffers];
    Place place() { return words; }
  };

  static Place at(Place place, std::size_t i) { return place + i; }
  static Key key_at(Place place, std::size_t i) { return static_cast<Key>(place[i] >> 32); }
  static Vector load(Place place, std::size_t i) { return L::load(place + i); }
  static One load_one(Place place, std::size_t i) { return place[i]; }
  static void put_one(Place place, std::size_t i, One one) { place[i] = one; }

  static Vector load(const Users& users, std::size_t i, const Code& code) {
    const Vector v = PairLanes::words(users.keys + i, users.values + i);
    return L::bit_xor(magnitude(v), L::broadcast(word(code.encode_one(0), 0)));
  }
  static One load_one(const Users& users, std::size_t i, const Code& code) {
    return word(code.encode_one(users.keys[i]), users.values[i]);
  }
  static void store(const Users& users, std::size_t i, Vector v, const Code& code) {
    const Vector raw = magnitude(L::bit_xor(v, L::broadcast(word(code.encode_one(0), 0))));
    PairLanes::store_words(raw, users.keys + i, users.values + i);
  }

  static Vector pivots(Key pivot) { return L::broadcast(word(pivot, 0xFFFFFFFF)); }
  static bool is_above(One one, Key pivot) { return one > word(pivot, 0xFFFFFFFF); }
  static unsigned above(Vector v, Vector pivots) { return L::greater(v, pivots); }
  static std::size_t part(Vector v, unsigned right, Place to, std::size_t left,
                          std::size_t right_end) {
    return L::part(v, right, to + left, to + right_end);
  }

  static void write_out(Place from, const Users& to, std::size_t n, const Code& code) {
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) store(to, i, L::load(from + i), code);
    if (i == n) return;
    if (n >= kLanes) return store(to, n - kLanes, L::load(from + n - kLanes), code);
    for (; i < n; ++i) {
      to.put(i, {code.decode_one(key_at(from, i)), static_cast<std::uint32_t>(from[i])});
    }
  }
  /// Sorts up to kBlock pairs.
  static void sort_block(Place from, const Users& to, std::size_t n, const Code& code) {
    Small::template sort<false, true>(from, from, n, typename Small::Code(0));
    write_out(from, to, n, code);
  }
  static void sort_by_heap(Place from, std::size_t n) {
    heap_sort(Items<Word, NoValue>{from, nullptr}, 0, n, std::less{});
  }

 private:
  static Word word(Key key, std::uint32_t value) {
    return static_cast<Word>(
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(key)) << 32 | value);
  }
  static Vector magnitude(Vector v) {
    if constexpr (!kFloat) return v;
    return L::bit_xor(v, L::bit_and(L::signs(v), L::broadcast(word(kGreatest<Key>, 0))));
  }
};

/// Keys of 8 bytes: two arrays, of which one mask moves keys and values. A block is sorted as numbers of
/// 64 bits: the key above the least one, without its lowest bits if there is no room, and the place.
template <bool kFloat>
struct Columns {
  using Key = std::int64_t;
  using L = Lanes<Key>;
  using Code = Coding<Key, kFloat>;
  using Users = Items<Key, std::uint32_t>;
  using Small = RegisterSort<Key, false>;
  static constexpr std::size_t kLanes = L::kCount;
  static constexpr std::size_t kBlock = Small::kKeys;
  static constexpr std::size_t kMostTwoBuffers = 1024;

  struct Vector {
    typename L::Vector keys;
    typename PairLanes::Values values;
  };
  using One = Item<Key, std::uint32_t>;
  using Place = Users;

  struct Buffer {
    alignas(64) Key keys[kMostTwoBuffers];
    alignas(64) std::uint32_t values[kMostTwoBuffers];
    Place place() { return {keys, values}; }
  };

  static Place at(Place place, std::size_t i) { return place.from(i); }
  static Key key_at(Place place, std::size_t i) { return place.keys[i]; }
  static Vector load(Place place, std::size_t i) {
    return {L::load(place.keys + i), PairLanes::load(place.values + i)};
  }
  static One load_one(Place place, std::size_t i) { return place[i]; }
  static void put_one(Place place, std::size_t i, const One& one) { place.put(i, one); }

  static Vector load(const Users& users, std::size_t i, const Code& code) {
    return {code.encode(L::load(users.keys + i)), PairLanes::load(users.values + i)};
  }
  static One load_one(const Users& users, std::size_t i, const Code& code) {
    return {code.encode_one(users.keys[i]), users.values[i]};
  }

  static typename L::Vector pivots(Key pivot) { return L::broadcast(pivot); }
  static bool is_above(const One& one, Key pivot) { return one.key > pivot; }
  static unsigned above(const Vector& v, typename L::Vector pivots) {
    return L::greater(v.keys, pivots);
  }
  static std::size_t part(const Vector& v, unsigned right, Place to, std::size_t left,
                          std::size_t right_end) {
    PairLanes::part(v.values, right, to.values + left, to.values + right_end);
    return L::part(v.keys, right, to.keys + left, to.keys + right_end);
  }

  static void write_out(Place from, const Users& to, std::size_t n, const Code& code) {
    for (std::size_t i = 0; i < n; ++i) to.keys[i] = code.decode_one(from.keys[i]);
    if (from.values != to.values) std::copy_n(from.values, n, to.values);
  }

  static void sort_block(Place from, const Users& to, std::size_t n, const Code& code) {
    using Number = std::uint64_t;
    constexpr int kPlaceBits = 7, kKeyBits = 63 - kPlaceBits;
    constexpr Number kPlaces = (Number{1} << kPlaceBits) - 1;
    static_assert(kBlock <= kPlaces + 1);
    if (n == 0) return;
    alignas(64) Key keys[kBlock];
    alignas(64) std::uint32_t values[kBlock];
    alignas(64) Key numbers[kBlock];
    Key least = from.keys[0], greatest = from.keys[0];
    for (std::size_t i = 0; i < n; ++i) {
      least = std::min(least, from.keys[i]);
      greatest = std::max(greatest, from.keys[i]);
    }
    const Number range = static_cast<Number>(greatest) - static_cast<Number>(least);
    const int lost = std::max(0, static_cast<int>(std::bit_width(range)) - kKeyBits);
    for (std::size_t i = 0; i < n; ++i) {
      const Number key = static_cast<Number>(from.keys[i]) - static_cast<Number>(least);
      numbers[i] = static_cast<Key>((key >> lost) << kPlaceBits | i);
    }
    std::copy_n(from.values, n, values);
    if (lost != 0) std::copy_n(from.keys, n, keys);
    Small::template sort<false, true>(numbers, numbers, n, typename Small::Code(0));
    for (std::size_t i = 0; i < n; ++i) {
      to.values[i] = values[static_cast<Number>(numbers[i]) & kPlaces];
    }
    if (lost == 0) {
      for (std::size_t i = 0; i < n; ++i) {
        const Number key = static_cast<Number>(numbers[i]) >> kPlaceBits;
        to.keys[i] = code.decode_one(static_cast<Key>(key + static_cast<Number>(least)));
      }
      return;
    }
    for (std::size_t i = 0; i < n; ++i) {
      to.keys[i] = keys[static_cast<Number>(numbers[i]) & kPlaces];
    }
    insertion_sort(to, 0, n, std::less{});  // keys that differ in lost bits alone
    for (std::size_t i = 0; i < n; ++i) to.keys[i] = code.decode_one(to.keys[i]);
  }
  static void sort_by_heap(Place from, std::size_t n) { heap_sort(from, 0, n, std::less{}); }
};
