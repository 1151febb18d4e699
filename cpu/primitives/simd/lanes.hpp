// Lanes, a vector of keys, and MergeLanes, the same with the steps of a merge, for each instruction
// set; and everything else that pasted files (*.inl.hpp) use. See kernels.hpp.
//
// The last steps of a bitonic network interleave two vectors, beside the exchanges of lanes. A bitonic
// sequence of kCount keys in each of two vectors is sorted by log2(kCount) steps, each of which exchanges
// a bit of the lane with the vector and compares both vectors, highest bit first. Then key 2 i + b of the
// first sequence lies in lane i of vector b, and the second sequence in the upper lanes likewise. So both
// are put back by interleaving:
//
//   x | 0 2 4 6 | 0 2 4 6 |      ->   first  | 0 1 2 3 4 5 6 7 |
//   y | 1 3 5 7 | 1 3 5 7 |           second | 0 1 2 3 4 5 6 7 |
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
#include "cpu/primitives/simple_sorts.hpp"

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

/// With one key per vector there is nothing to interleave.
template <class KeyT>
struct MergeLanes : Lanes<KeyT> {
  using Vector = KeyT;
  static Vector reverse(Vector v) { return v; }
  static void interleave(Vector&, Vector&) {}
  static void interleave_mirrored(Vector&, Vector&) {}
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
