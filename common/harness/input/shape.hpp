// The properties of keys that make them easy or hard to sort, in a few numbers.
#pragma once

#include <cstddef>
#include <span>

#include "common/contract/key_types.hpp"

namespace sortlab {

struct Shape {
  std::size_t distinct = 0;       // different keys
  std::size_t most_frequent = 0;  // how often the most frequent key occurs
  std::size_t fullest_part =
      0;                  // keys in the fullest of 256 equal parts from the least to the most
  std::size_t runs = 0;   // ascending runs, each as long as possible
  int constant_bits = 0;  // bits that all keys have in common
};

/// For keys of any key type. Takes O(n log n) time and memory for a copy of the keys.
template <class Key>
Shape shape_of(std::span<const Key> keys);

}  // namespace sortlab
