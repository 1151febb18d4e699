// Handles inputs in which one key is the majority, such as a default or a zero: only the other keys
// are sorted.
#ifndef SORTLAB_PASTED  // an editor has opened this file alone
  #pragma once
  #include "cpu/quick/simd/editor.hpp"
#endif

template <class Key, bool kFloat>
struct Majority {
  using L = Lanes<Key>;
  using Vector = typename L::Vector;
  using Code = Coding<Key, kFloat>;
  static constexpr std::size_t kLanes = L::kCount;

  /// Copies those of n keys that are below `key` to `to` and on, and those above it to the end of the n
  /// places there. All are the user's keys, `key` is a signed integer.
  ///
  ///   to | below | free: as many as are still to be read, and those that were equal | above |
  static Sides take_out(const Key* from, Key* to, std::size_t n, Key key, const Code& code) {
    const Vector keys = L::broadcast(key);
    Key *left = to, *right_end = to + n;
    std::size_t i = 0;
    // A whole vector is stored on each side, so there must be room for two.
    for (; i + 2 * kLanes <= n; i += kLanes) {
      const Vector users = L::load(from + i);
      const Vector v = code.encode(users);
      const unsigned below = L::greater(keys, v);
      L::put_left(users, below, left);
      left += std::popcount(below);
      right_end -= L::put_right(users, L::greater(v, keys), right_end);
    }
    for (; i < n; ++i) {
      const Key one = code.encode_one(from[i]);
      if (one < key) *left++ = from[i];
      if (one > key) *--right_end = from[i];
    }
    return {static_cast<std::size_t>(left - to), static_cast<std::size_t>(to + n - right_end)};
  }
};
