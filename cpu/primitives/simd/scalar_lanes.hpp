// A "vector" of one key, with which the same kernels run on any CPU, without branches on keys.
#pragma once

#include <cstddef>
#include <type_traits>

#include "cpu/primitives/streaming.hpp"

namespace sortlab::cpu::primitives::simd::scalar {

template <class KeyT>
struct Lanes {
  using Key = KeyT;
  using Vector = Key;
  static constexpr int kBits = 0;
  static constexpr std::size_t kCount = 1;
  static constexpr int kRegisters = 16;

  static Vector load(const Key* from) { return *from; }
  static void store(Key* to, Vector v) { *to = v; }
  static void stream(Key* to, Vector v) { stream_word(to, v); }
  static Vector broadcast(Key key) { return key; }
  static Vector load_some(const Key* from, std::size_t n, Vector others) {
    return n == 0 ? others : *from;
  }
  static void store_some(Key* to, Vector v, std::size_t n) {
    if (n != 0) *to = v;
  }
  static Vector subtract(Vector a, Vector b) {
    using Bits = std::make_unsigned_t<Key>;
    return static_cast<Key>(static_cast<Bits>(a) - static_cast<Bits>(b));
  }
  static Vector signs(Vector v) { return v >> (8 * sizeof(Key) - 1); }
  static Vector bit_and(Vector a, Vector b) { return a & b; }
  static Vector bit_xor(Vector a, Vector b) { return a ^ b; }

  static void order(Vector& a, Vector& b) {
    const Vector smaller = b < a ? b : a;
    b = b < a ? a : b;
    a = smaller;
  }
  static unsigned greater(Vector a, Vector b) { return a > b; }
  static void put_left(Vector v, unsigned, Key* to) { *to = v; }
  static std::size_t put_right(Vector v, unsigned set, Key* end) {
    end[-1] = v;
    return set;
  }
  static std::size_t part(Vector v, unsigned right, Key* left, Key* right_end) {
    *left = v;
    right_end[-1] = v;
    return right;
  }
};

}  // namespace sortlab::cpu::primitives::simd::scalar
