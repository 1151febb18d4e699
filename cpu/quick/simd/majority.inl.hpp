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

  /// Moves those of n keys that are below `key` to `to` and on, and those above it to the end of the n
  /// places there; where they were, it puts this key. All are the user's keys, `key` is a signed integer.
  ///
  ///   keys | key key key key ...
  ///   to   | below | free: as many as are still to be read, and those that were equal | above |
  static Sides take_out(Key* keys, Key* to, std::size_t n, Key key, const Code& code) {
    constexpr std::size_t kAtOnce = 4;  // vectors: mostly equal keys, which are only read
    const Vector coded = L::broadcast(key), users = L::broadcast(code.decode_one(key));
    Key *left = to, *right_end = to + n;
    std::size_t i = 0;
    // A whole vector is stored on each side, so there must be room for one more.
    for (; i + (kAtOnce + 1) * kLanes <= n; i += kAtOnce * kLanes) {
      Vector v[kAtOnce];
      unsigned below[kAtOnce], above[kAtOnce], different = 0;
      for (std::size_t j = 0; j < kAtOnce; ++j) {
        v[j] = L::load(keys + i + j * kLanes);
        const Vector one = code.encode(v[j]);
        below[j] = L::greater(coded, one);
        above[j] = L::greater(one, coded);
        different |= below[j] | above[j];
      }
      if (different == 0) continue;
      for (std::size_t j = 0; j < kAtOnce; ++j) {
        L::put_left(v[j], below[j], left);
        left += std::popcount(below[j]);
        right_end -= L::put_right(v[j], above[j], right_end);
        L::store(keys + i + j * kLanes, users);
      }
    }
    for (; i < n; ++i) {
      const Key one = code.encode_one(keys[i]);
      if (one < key) *left++ = keys[i];
      if (one > key) *--right_end = keys[i];
      keys[i] = code.decode_one(key);
    }
    return {static_cast<std::size_t>(left - to), static_cast<std::size_t>(to + n - right_end)};
  }
};
