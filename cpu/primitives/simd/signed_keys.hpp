// A job's keys as the signed integers that the SIMD sorts are written for.
//
// Their kernels compare ascending signed integers. The first read converts a key, and the last
// write converts it back (coding.inl.hpp). This file has the data for that.
#pragma once

#include <limits>
#include <type_traits>

#include "common/contract/key_types.hpp"

namespace sortlab::cpu::primitives::simd {

template <class Job>
struct SignedKeys {
  using Key = typename Job::Key;
  using Int = std::make_signed_t<BitsOf<Key>>;
  static constexpr bool kFloat = std::is_floating_point_v<Key>;

  /// The bits of a key that change, apart from the magnitude of negative floats.
  static constexpr Int kFlip = (std::is_unsigned_v<Key> ? std::numeric_limits<Int>::min() : 0) ^
                               (Job::kOrder == Order::descending ? -1 : 0);

  /// The same memory. Until the sort ends, all code accesses the keys there as these integers.
  static Int* of(Key* keys) { return reinterpret_cast<Int*>(keys); }
};

}  // namespace sortlab::cpu::primitives::simd
