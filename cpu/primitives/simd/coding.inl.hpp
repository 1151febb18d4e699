// Keys as vectors of signed integers (Coding), and the look whether they are in order already.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #define SORTLAB_EDITOR
  #include "cpu/primitives/simd/lanes.hpp"
#endif

/// The filler of unused lanes, which sorts behind all keys.
template <class Key>
inline constexpr Key kGreatest = std::numeric_limits<Key>::max();

/// The user's keys as signed integers in ascending order, and back. Floats in totalOrder are
/// ordered like their bits as signed integers once the negative ones have their magnitude flipped;
/// the rest (unsigned keys, descending order) is a xor with `flip`.
template <class Key, bool kFloat>
class Coding {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;

 public:
  explicit Coding(Key flip) : flip_(flip), flips_(L::broadcast(flip)) {}
  Vector encode(Vector v) const { return L::bit_xor(magnitude(v), flips_); }
  Vector decode(Vector v) const { return magnitude(L::bit_xor(v, flips_)); }
  Key encode_one(Key key) const { return magnitude_of_one(key) ^ flip_; }
  Key decode_one(Key key) const { return magnitude_of_one(key ^ flip_); }

 private:
  static Vector magnitude(Vector v) {
    if constexpr (!kFloat) return v;
    return L::bit_xor(v, L::bit_and(L::signs(v), L::broadcast(kGreatest<Key>)));
  }
  static Key magnitude_of_one(Key key) {
    if constexpr (!kFloat) return key;
    return key ^ (key >> (8 * sizeof(Key) - 1) & kGreatest<Key>);
  }
  Key flip_;
  Vector flips_;
};

// Checks whether keys are in order already.

/// Compares keys with the keys before them. As long as all keys are equal, it looks first whether the next ones are equal,
/// too, which needs no order. Once the keys rise, it looks only for a fall, and the other way round.
template <class Key, bool kFloat>
struct Look {
  using L = Lanes<Key>;
  static constexpr std::size_t kLanes = L::kCount, kKeys = 64 * kLanes;
  static constexpr unsigned kBoth = kAscending | kDescending;

  /// Whether kKeys keys each equal the key before.
  static bool are_alike(const Key* keys) {
    const Key* const before = keys - 1;
    const Key first = before[0];
    Key different = first ^ before[kKeys];
    for (std::size_t i = 0; i < kKeys; ++i) different |= first ^ before[i];
    return different == 0;
  }

  /// The orders of `kAsked` in which kKeys keys follow the keys before.
  template <unsigned kAsked>
  static unsigned orders(const Key* keys, const Coding<Key, kFloat>& code) {
    constexpr std::size_t kLine = 64 / sizeof(Key), kAhead = 2048 / sizeof(Key);
    unsigned falls = 0, rises = 0;
    for (std::size_t i = 0; i < kKeys; i += kLanes) {
      if (i % kLine == 0) __builtin_prefetch(keys + i + kAhead);
      const auto before = code.encode(L::load(keys + i - 1)), at = code.encode(L::load(keys + i));
      if constexpr ((kAsked & kAscending) != 0) falls |= L::greater(before, at);
      if constexpr ((kAsked & kDescending) != 0) rises |= L::greater(at, before);
    }
    return kAsked & ((falls == 0 ? kAscending : 0) | (rises == 0 ? kDescending : 0));
  }

  /// Which of the orders `asked` hold for kKeys keys more.
  static unsigned go_on(unsigned asked, const Key* keys, const Coding<Key, kFloat>& code) {
    if (asked == kAscending) return orders<kAscending>(keys, code);
    if (asked == kDescending) return orders<kDescending>(keys, code);
    return are_alike(keys) ? kBoth : orders<kBoth>(keys, code);
  }
};

/// Whether n keys are ascending (kAscending), descending (kDescending), both or neither.
template <class Key, bool kFloat>
unsigned look(const Key* keys, std::size_t n, Key flip) {
  using Part = Look<Key, kFloat>;
  const Coding<Key, kFloat> code(flip);
  unsigned sequence = Part::kBoth;
  std::size_t i = 1;
  for (; i + Part::kKeys <= n && sequence != 0; i += Part::kKeys) {
    sequence = Part::go_on(sequence, keys + i, code);
  }
  if (i > 1 && sequence != 0) return Part::go_on(sequence, keys + n - Part::kKeys, code);
  for (; i < n && sequence != 0; ++i) {
    const Key before = code.encode_one(keys[i - 1]), at = code.encode_one(keys[i]);
    if (before > at) sequence &= ~kAscending;
    if (at > before) sequence &= ~kDescending;
  }
  return sequence;
}
