// The hash of a fingerprint. The CPU and the GPU compute the same words, so each can check results
// of the other.
#pragma once

#include <bit>
#include <cstdint>

#include "common/contract/key_types.hpp"
#include "common/harness/input/random.hpp"

namespace sortlab {

/// For fewer items no team is used: its threads spin for another 5 ms, which would slow down the
/// next sort, unless that sort uses the same team.
constexpr std::int64_t kHashedInParallelFrom = 1 << 24;

/// The golden step keeps a key of zero bits from hashing to zero, which sum and xor would not see.
template <class Key>
SORTLAB_HD constexpr std::uint64_t item_hash(Key key) {
  return mix_bits(std::bit_cast<BitsOf<Key>>(key) + kGoldenStep);
}

/// The value is mixed in after the key was mixed, so that no change of the value undoes a change of
/// the key.
template <class Key>
SORTLAB_HD constexpr std::uint64_t item_hash(Key key, std::uint64_t value) {
  return mix_bits(item_hash(key) + kGoldenStep * (value + 1));
}

/// Of an item in an array.
template <class Key, class Value>
SORTLAB_HD constexpr std::uint64_t item_hash(const Key* keys, const Value* values, std::size_t i) {
  if constexpr (std::is_same_v<Value, NoValue>) {
    return item_hash(keys[i]);
  } else {
    return item_hash(keys[i], values[i]);
  }
}

}  // namespace sortlab
