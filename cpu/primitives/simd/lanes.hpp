// Lanes, a vector of keys, for each instruction set; and everything else that pasted files (*.inl.hpp) use. See kernels.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <type_traits>
#include <utility>

#include "common/contract/isa_region.hpp"
#include "common/contract/items.hpp"
#include "cpu/primitives/intrinsics.hpp"
#include "cpu/primitives/simd/avx2_lanes.hpp"
#include "cpu/primitives/simd/avx512_lanes.hpp"
#include "cpu/primitives/simd/keys.hpp"
#include "cpu/primitives/simd/neon_lanes.hpp"
#include "cpu/primitives/simd/tables.hpp"

#define SORTLAB_INLINE [[gnu::always_inline]] static inline

// Functions that access only local variables, at constant places, need no check of alignment and of pointer arithmetic.
// These checks would be most of what sanitizers add to a network.
#ifdef __clang__
  #define SORTLAB_LOCALS_BEGIN           \
    SORTLAB_PRAGMA(clang attribute push( \
        __attribute__((no_sanitize("alignment", "pointer-overflow"))), apply_to = function))
  #define SORTLAB_LOCALS_END _Pragma("clang attribute pop")
#else
  #define SORTLAB_LOCALS_BEGIN
  #define SORTLAB_LOCALS_END
#endif

namespace sortlab::cpu::primitives::simd::scalar {

/// A "vector" of one key, with which the same kernels run on any CPU, without branches on keys.
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
  static unsigned equal(Vector a, Vector b) { return a == b; }
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

#ifdef SORTLAB_EDITOR  // an editor has opened a pasted file alone: lanes of one key, and the namespaces of the file
  #define SORTLAB_ISA scalar
namespace sortlab::cpu {
using namespace primitives;
using namespace primitives::simd;
using namespace primitives::simd::scalar;
}  // namespace sortlab::cpu
using namespace sortlab;
using namespace sortlab::cpu;
#endif
