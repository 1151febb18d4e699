// The user's keys as signed integers in ascending order, because vectors compare only these.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/primitives/simd/editor.hpp"
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
